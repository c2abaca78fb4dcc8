/** Runs the head step once more with an extra prompt; the new step replaces the head.
 *
 *  1. The rules are not consulted: the head's role runs again, in its own session and directory, and the new
 *     step keeps the route that led to the head.
 *  2. The new step's parent is the old one's parent; an upgrade that came after the old step comes before the
 *     new one. The old head stays in the CAS until gc, and the index remembers it until the next step: until then
 *     the poke can be undone.
 *  3. On any failure the head, and what the thread waited for, is as before. */
import { sha256Hex } from "@uncaged/workflow-cas";
import {
  err,
  FAULT_CODES,
  type Failure,
  failure,
  failureFrom,
  isFinal,
  ok,
  type Result,
  type StepDirective,
  type ThreadRecord,
  type ThreadStatus,
} from "@uncaged/workflow-protocol";
import { useExternals } from "@uncaged/workflow-register";
import { appendStep, parentOf } from "./append-step.ts";
import type { Engine } from "./engine.ts";
import type { ThreadRun } from "./execute-thread.ts";
import { finishedRefusal } from "./finished-refusal.ts";
import { loadRun } from "./load-run.ts";
import { nextTurn } from "./next-turn.ts";
import { observedStatus } from "./observe.ts";
import { ownThread, type Tenancy } from "./own-thread.ts";
import { parseOutput } from "./parse-output.ts";
import { nothingToReplace, type PokeBasis, pokeBasis } from "./poke-basis.ts";
import { POKE } from "./poke-route.ts";
import type { Publish } from "./publish.ts";
import { readBlob } from "./read-node.ts";
import { restAfterPoke } from "./rest-after-poke.ts";
import { threadRun } from "./run-thread.ts";
import { withModelCosts } from "./with-model-costs.ts";

export type Poke = {
  threadId: string;
  head: string;
  previousHead: string;
  /** `idle`; `paused` when its gate was closed meanwhile. */
  status: ThreadStatus;
};

/** Refused: `LEASE_HELD` (running), `TRANSITION_INVALID` (finished, or no step yet), `USAGE` (empty prompt). */
export async function pokeThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: {
    prompt: string;
    /** Name in `config.agents`; null: whoever played the head step. */
    agent: string | null;
    signal: AbortSignal;
  },
): Promise<Result<Poke, Failure>> {
  const refusal = refusalOf(thread, opts.prompt, engine.now());
  if (refusal !== null) return err(refusal);
  useExternals(engine.root, engine.packagesBase);
  const { threadId } = thread;
  return ownThread<Poke>(engine, {
    threadId,
    signal: opts.signal,
    use: (tenancy) => replaceHead(engine, tenancy, opts),
  });
}

async function replaceHead(
  engine: Engine,
  tenancy: Tenancy,
  poke: { prompt: string; agent: string | null },
): Promise<Result<Poke, Failure>> {
  const { thread } = tenancy;
  const loaded = await loadRun(engine, thread);
  if (!loaded.ok) return loaded;
  const basis = await pokeBasis(engine, thread, loaded.value);
  if (!basis.ok) return basis;
  const { chain, upgrade } = basis.value;
  const directive = directiveOf(basis.value, poke);
  const run = await threadRun(engine, tenancy, {
    loaded: { ...loaded.value, chain },
    directive,
    maxSteps: 1,
  });
  run.tail.parentSha256 = sha256Hex(await readBlob(engine.cas, parentOf(run.tail)));
  const output = await firstOutput(run);
  if (!output.ok) return output;
  const fault = await run.rulesFault(output.value);
  if (fault !== null) return err(fault);
  const record = withModelCosts(output.value.run ?? null, run.costs);
  const publish: Publish = (nodes, move) => engine.publish([...upgrade, ...nodes], move);
  const { stateHash } = await appendStep({ cas: engine.cas, publish }, run.tail, {
    output: { ...output.value, run: record },
    nowMs: engine.now(),
    replaces: true,
  });
  const status = await restAfterPoke(engine, tenancy);
  return ok({ threadId: thread.threadId, head: stateHash, previousHead: thread.head, status });
}

/** The route that led to the head, with the poke in place of its prompt. */
function directiveOf(
  { step, route }: PokeBasis,
  poke: { prompt: string; agent: string | null },
): StepDirective {
  const { role, session, cwd, agent: played } = step.node.payload;
  const binding = played?.binding ?? null;
  const agent = poke.agent ?? binding;
  const kept = route ?? { from: role, to: role, condition: POKE, rule: null };
  return {
    route: { ...kept, prompt: poke.prompt, promptFrom: "person" },
    location: cwd ?? null,
    // A session is its agent's own: another agent would not find it.
    previousSession: agent === binding ? (session ?? null) : null,
    agent,
  };
}

async function firstOutput(run: ThreadRun): Promise<ReturnType<typeof parseOutput>> {
  const generator = run.workflow(run.context, run.runtime);
  try {
    const turn = await nextTurn(generator, undefined, run.signal);
    if (turn.kind === "threw") return err(failureFrom(turn.cause, "AGENT_FAILED"));
    if (turn.kind === "interrupted") return err(stopped(run.thread.threadId));
    if (turn.kind === "returned") {
      return err(
        failure("WORKFLOW_FAILED", "the workflow ended instead of running its head step again", ""),
      );
    }
    const output = parseOutput(turn.output, run.roles);
    if (!output.ok || output.value.outcome === undefined) return output;
    // A table may have a rule for a role that fails; a poke asks for a better step, not for that one.
    return err(failure(FAULT_CODES[output.value.outcome], String(output.value.meta.reason), ""));
  } finally {
    // Not awaited: a function that hangs in its own cleanup must not hold the thread.
    void generator.return({ returnCode: 0, summary: "" }).catch(() => undefined);
  }
}

function stopped(threadId: string): Failure {
  return failure(
    "THREAD_ABORTED",
    `the poke of thread ${threadId} was stopped`,
    "its head is as it was",
  );
}

function refusalOf(thread: ThreadRecord, prompt: string, nowMs: number): Failure | null {
  const { threadId, stepCount } = thread;
  const { status } = observedStatus(thread, nowMs);
  if (prompt.trim() === "") {
    return failure(
      "USAGE",
      "the prompt is empty: a poke says what to do differently",
      "give one with: --prompt <text>",
    );
  }
  if (isFinal(status)) return finishedRefusal(thread, "its last step cannot be replaced");
  if (status === "running") {
    return failure(
      "LEASE_HELD",
      `thread ${threadId} is run by process ${thread.lease?.process.pid ?? 0}`,
      `stop or pause it first: uncaged-workflow thread pause ${threadId}`,
    );
  }
  return stepCount === 0 ? nothingToReplace(threadId) : null;
}
