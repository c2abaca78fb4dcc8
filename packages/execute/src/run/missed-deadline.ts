/** A person who did not answer in time. No process waits for the deadline: whoever owns the thread next records the
 *  missed answer, before anything else happens to the thread.
 *
 *  It is routed like any fault: if the table has a rule for it, it is the step of the role; otherwise it fails the
 *  thread. A workflow function written by hand decides for itself, so there it is always a step. */
import { pickRoute } from "@uncaged/workflow-moderator";
import {
  type AgentError,
  agentError,
  isPersonWait,
  type PersonWait,
  type RunningThread,
  type ThreadRecord,
  waitsOf,
} from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";
import { publishStep } from "../chain/append-step.ts";
import { extendChain } from "../chain/chain.ts";
import { cursorAt } from "../chain/chain-cursor.ts";
import { threadContext } from "../chain/thread-context.ts";
import type { LeaseHandle } from "../lease/with-lease.ts";
import type { Engine } from "../storage/engine.ts";
import { emitCompleted } from "./execute-thread.ts";
import type { LoadedRun } from "./load-run.ts";
import { personProof } from "./person-proof.ts";
import { missedReason, missedStep } from "./person-step.ts";
import { isOverdue } from "./person-wait.ts";

/** The person who is late; null: nobody is. Members of groups are handled by their group. */
export function latePerson(thread: ThreadRecord, nowMs: number): PersonWait | null {
  return (
    waitsOf(thread)
      .filter(isPersonWait)
      .find((wait) => wait.member === undefined && isOverdue(wait, nowMs)) ?? null
  );
}

export type Missed =
  | { kind: "recorded"; thread: RunningThread; loaded: LoadedRun }
  /** There is no rule for it. */
  | { kind: "unrouted"; cause: AgentError };

export async function recordMissed(
  engine: Engine,
  { thread, lease, emit }: Pick<LeaseHandle, "thread" | "lease" | "emit">,
  { loaded, wait }: { loaded: LoadedRun; wait: PersonWait },
): Promise<Missed> {
  const nowMs = engine.now();
  const output = missedStep(wait, { cwd: thread.cwd, nowMs });
  if (!(await isRouted(engine, { thread, loaded, output }))) {
    const about = {
      message: missedReason(wait),
      hint: "give the table a rule for the outcome `timeout` of this role",
      run: output.run ?? null,
    };
    return { kind: "unrouted", cause: agentError("timeout", about) };
  }
  const cursor = cursorAt(thread, loaded.chain, { fence: lease.fence });
  const { threadId } = thread;
  const rules = async () => loaded.bundle.descriptor.roles;
  const seen = await personProof(engine, { threadId, chain: loaded.chain, output, rules });
  const published = await publishStep(engine, cursor, { kind: "append", output, nowMs, ...seen });
  emitCompleted({ thread, emit }, published, nowMs);
  const { head, parentSha256: headSha256 } = published.cursor;
  const moved = { head, headSha256, stepCount: thread.stepCount + 1, pendingInput: null };
  const chain = await extendChain(engine.cas, loaded.chain, head);
  return { kind: "recorded", thread: { ...thread, ...moved }, loaded: { ...loaded, chain } };
}

async function isRouted(
  { cas }: Pick<Engine, "cas">,
  at: {
    thread: RunningThread;
    loaded: LoadedRun;
    output: ParsedRoleOutput & { outcome: "timeout" };
  },
): Promise<boolean> {
  const { edges } = at.loaded.bundle.descriptor.graph;
  if (edges.length === 0) return true;
  const context = await threadContext(cas, at.thread, at.loaded.chain);
  const { role, meta, outcome } = at.output;
  // The step as rules see it; the fields that they do not see are not known yet.
  const step = {
    role,
    meta,
    outcome,
    contentHash: "",
    refs: [],
    timestamp: 0,
    childThread: null,
    run: null,
  };
  return (await pickRoute(edges, { ...context, steps: [...context.steps, step] })).matched !== null;
}
