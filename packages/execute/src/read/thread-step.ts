/** One step of a thread, however long the thread: it is found through the skip list, unless the thread was upgraded. */
import { ancestorAt } from "@uncaged/workflow-cas";
import {
  type CheckEvidence,
  err,
  type Failure,
  failure,
  ok,
  parseJson,
  type Result,
  type StepView,
  type ThreadRecord,
  type ToolCallRecord,
} from "@uncaged/workflow-protocol";
import { checkEvidenceSchema, toolCallRecordSchema } from "@uncaged/workflow-protocol/schemas";
import { type ChainState, loadChain, roleStates } from "../chain/chain.ts";
import { readNode } from "../chain/read-node.ts";
import { ancestorsIn, roundEnds } from "../chain/round-ends.ts";
import { runOf } from "../chain/thread-context.ts";
import type { Engine } from "../storage/engine.ts";
import { stepViews } from "./thread-view.ts";

/** `USAGE` when there is no such step. Whether somebody changed the files before it is not looked up. */
export async function threadStep(
  { cas }: Pick<Engine, "cas">,
  thread: ThreadRecord,
  round: number,
): Promise<Result<StepView, Failure>> {
  const state = await stateOf(cas, thread, round);
  const [step] = state === null ? [] : await stepViews(cas, [state], round);
  return step === undefined ? err(noStep(thread, round)) : ok(step);
}

/** A file that is evidence of a step. */
export type StepProof = { hash: string } & (
  | { kind: "call"; call: ToolCallRecord }
  | { kind: "check"; check: CheckEvidence }
  /** `text` null: the store has lost it. */
  | { kind: "other"; text: string | null }
);

/** What the engine saw in a step. `USAGE` when there is no such step. */
export async function stepProofs(
  { cas }: Pick<Engine, "cas">,
  thread: ThreadRecord,
  round: number,
): Promise<Result<StepProof[], Failure>> {
  const state = await stateOf(cas, thread, round);
  if (state === null) return err(noStep(thread, round));
  const proofs: StepProof[] = [];
  for (const hash of runOf(state.node)?.evidence ?? []) {
    const text = await readNode(cas, hash, "content").then(
      ({ payload }) => payload,
      () => null,
    );
    proofs.push({ hash, ...proofIn(text) });
  }
  return ok(proofs);
}

function proofIn(text: string | null) {
  const json = text === null ? null : parseJson(text);
  const check = checkEvidenceSchema.safeParse(json);
  if (check.success) return { kind: "check", check: check.data } as const;
  const call = toolCallRecordSchema.safeParse(json);
  if (call.success) return { kind: "call", call: call.data } as const;
  return { kind: "other", text } as const;
}

async function stateOf(
  cas: Engine["cas"],
  thread: ThreadRecord,
  round: number,
): Promise<ChainState | null> {
  if (round < 1 || round > thread.stepCount) return null;
  const ends = await roundEnds(cas, thread);
  if (ends === null) return roleStates(await loadChain(cas, thread))[round - 1] ?? null;
  const hash = await ancestorAt(ends.last, thread.stepCount - round, ancestorsIn(cas));
  return hash === null ? null : { hash, node: await readNode(cas, hash, "state") };
}

function noStep({ threadId, stepCount }: ThreadRecord, round: number): Failure {
  return failure(
    "USAGE",
    `thread ${threadId} has no step ${round}; it has ${stepCount}`,
    `see its steps with: uncaged-workflow thread show ${threadId}`,
  );
}
