/** Runs the head step once more with an extra prompt; the new step replaces the head.
 *
 *  1. The rules are not consulted: the head's role runs again, in its own session and directory, and the new step keeps
 *     the route that led to the head.
 *  2. The new step has the old one's parent; an upgrade after the old step moves before the new one. The old head stays
 *     in the CAS until gc, and the index remembers it until the next step: until then the poke can be undone.
 *  3. The files are put back to what they were before the step, unless they are to be kept or somebody else has changed
 *     them since (`files-before`).
 *  4. On any failure the head, its files and what the thread waited for stay as they were. */
import { sha256Hex } from "@uncaged/workflow-cas";
import { openGroup } from "@uncaged/workflow-moderator";
import {
  err,
  FAULT_CODES,
  type Failure,
  failure,
  failureFrom,
  isFinal,
  isSameGroup,
  ok,
  type Result,
  type RootStore,
  type StepDirective,
  type ThreadContext,
  type ThreadRecord,
  type ThreadStatus,
} from "@uncaged/workflow-protocol";
import { type OpenedBundle, useExternals } from "@uncaged/workflow-register";
import { publishStep } from "../chain/append-step.ts";
import { cursorAt } from "../chain/chain-cursor.ts";
import { POKE } from "../chain/poke-route.ts";
import { readBlob } from "../chain/read-node.ts";
import { runOf, threadContext } from "../chain/thread-context.ts";
import { finishedRefusal } from "../lease/finished-refusal.ts";
import { type LeaseHandle, withLease } from "../lease/with-lease.ts";
import { withModelCosts } from "../models/with-model-costs.ts";
import { emitCompleted, holdToRules, type ThreadRun } from "../run/execute-thread.ts";
import { loadRun } from "../run/load-run.ts";
import { nextTurn } from "../run/next-turn.ts";
import { parseOutput } from "../run/parse-output.ts";
import { threadRun } from "../run/run-thread.ts";
import { withNotes } from "../run/step-files.ts";
import { FULL, noRoom } from "../run/thread-room.ts";
import { mayWork, standWorktrees } from "../run/work-place.ts";
import type { Engine } from "../storage/engine.ts";
import { bringFiles } from "../travel/bring-files.ts";
import { thisMachine } from "../travel/machine.ts";
import { madeElsewhere, mayComeHere } from "../travel/saved-files.ts";
import { observedStatus } from "../watch/observe.ts";
import { filesToPutBack, switchFiles } from "./files-before.ts";
import { parkAfterPoke } from "./park-after-poke.ts";
import { nothingToReplace, type PokeBasis, pokeBasis } from "./poke-basis.ts";

export type Poke = {
  threadId: string;
  head: string;
  previousHead: string;
  /** `idle`; `paused` when its gate was closed meanwhile. */
  status: ThreadStatus;
};

/** Refused: `LEASE_HELD` (running), `TRANSITION_INVALID` (finished, or no step yet), `USAGE` (empty prompt),
 *  `FILES_CHANGED`. */
export async function pokeThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: {
    prompt: string;
    /** Name in `config.agents`; null: the agent that ran the head step. */
    agent: string | null;
    /** The files stay as they are; else they are first put back to what they were before the step. */
    keepFiles: boolean;
    signal: AbortSignal;
  },
): Promise<Result<Poke, Failure>> {
  const refusal = refusalOf(thread, opts.prompt, engine.now());
  if (refusal !== null) return err(refusal);
  useExternals(engine.root, engine.packagesBase);
  const { threadId } = thread;
  const here = await worksHere(engine, thread);
  if (!here.ok) return here;
  return withLease<Poke>(engine, {
    threadId,
    signal: opts.signal,
    room: "or nothing",
    use: (handle) => replaceHead(engine, handle, opts),
  });
}

async function replaceHead(
  engine: Engine,
  handle: LeaseHandle,
  poke: { prompt: string; agent: string | null; keepFiles: boolean },
): Promise<Result<Poke, Failure>> {
  const loaded = await loadRun(engine, handle.thread);
  if (!loaded.ok) return loaded;
  const placed = await bringFiles(engine, handle.thread, loaded.value.chain);
  if (!placed.ok) return placed;
  const thread = { ...handle.thread, cwd: placed.value.cwd };
  const basis = await pokeBasis(engine, thread, loaded.value);
  if (!basis.ok) return basis;
  const { chain, upgrade, step } = basis.value;
  if (step.node.payload.person !== undefined) return err(madeByPerson(thread.threadId));
  const context = await threadContext(engine.cas, thread, loaded.value.chain);
  if (step.node.payload.group !== undefined && !isOpen(loaded.value.bundle, context)) {
    return err(hasJoined(thread.threadId, step.node.payload.group.name));
  }
  const alone = await mayWork(engine, thread, loaded.value.bundle.descriptor);
  if (!alone.ok) return alone;
  const place = { chain: loaded.value.chain, cwd: step.node.payload.cwd ?? thread.cwd };
  const stands = await standWorktrees(engine, thread, { ...place, signal: handle.signal });
  if (!stands.ok) return stands;
  const putBack = poke.keepFiles ? ok(UNTOUCHED) : await putFilesBack(engine, thread, basis.value);
  if (!putBack.ok) return putBack;
  const restored = putBack.value;
  const directive = directiveOf(basis.value, poke);
  const parent = chain.states.at(-1)?.hash ?? chain.startHash;
  const parentSha256 = sha256Hex(await readBlob(engine.cas, parent));
  const cursor = cursorAt(thread, chain, { fence: handle.lease.fence, parentSha256 });
  const run = await threadRun(
    engine,
    { ...handle, thread },
    {
      loaded: { ...loaded.value, chain },
      cursor,
      directive,
      replaced: runOf(step.node),
      maxSteps: 1,
      room: "or nothing",
    },
  );
  const made = await firstOutput(run);
  if (!made.ok) return restored.fails(made.error);
  const { group } = step.node.payload;
  const { output, files, fault, proved } = await holdToRules(run, cursor, made.value, group);
  if (fault !== null) return restored.fails(fault);
  const record = withNotes(withModelCosts(output.run ?? null, run.costs), files.notes);
  const publish: RootStore["publish"] = (nodes, move) =>
    engine.cas.publish([...upgrade, ...nodes], move);
  const nowMs = engine.now();
  const published = await publishStep({ cas: { ...engine.cas, publish } }, cursor, {
    kind: "replace",
    output: { ...output, run: record },
    nowMs,
    group,
    workspace: files.workspace,
    proof: run.proofAfter({
      ...{ ...output, round: cursor.rounds + 1, workspace: files.workspace, proved },
    }),
  });
  emitCompleted(run, published, nowMs);
  const { stateHash } = published;
  const status = await parkAfterPoke(engine, handle);
  return ok({ threadId: thread.threadId, head: stateHash, previousHead: thread.head, status });
}

/** `WORKSPACE_ELSEWHERE`: the head's files are on another machine, and a poke begins with those from before it. */
async function worksHere(engine: Engine, thread: ThreadRecord): Promise<Result<null, Failure>> {
  const last = await mayComeHere(engine, thread);
  if (!last.ok) return last;
  if (last.value === null) return ok(null);
  const { saved } = last.value;
  const isHere = saved.machine.id === (await thisMachine(engine.root)).id;
  return isHere ? ok(null) : err(madeElsewhere(thread.threadId, saved));
}

type PutBack = {
  /** What a poke that makes no step returns: the head stays, and so do its files. */
  fails: (reason: Failure) => Promise<Result<never, Failure>>;
};

const UNTOUCHED: PutBack = { fails: async (reason) => err(reason) };

async function putFilesBack(
  engine: Engine,
  { threadId }: ThreadRecord,
  { step, chain }: PokeBasis,
): Promise<Result<PutBack, Failure>> {
  const { workspace, group } = step.node.payload;
  const members = chain.states
    .map(({ node }) => node.payload)
    .filter((payload) => isSameGroup(payload.group, group));
  const files = filesToPutBack(
    workspace,
    members.map((member) => member.workspace),
  );
  if (files === null) return ok(UNTOUCHED);
  const { workTree, before, after } = files;
  const put = await switchFiles(engine, { threadId, workTree, to: before, from: after });
  if (!put.ok) return put;
  return ok({
    fails: async (reason) => {
      // What the poke did is recorded by now. If git fails, the first reason is the one to report.
      await switchFiles(engine, { threadId, workTree, to: after, from: null });
      return err(reason);
    },
  });
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
    // A session belongs to its agent: another agent would not find it.
    previousSession: agent === binding ? (session ?? null) : null,
    agent,
    ...(step.node.payload.group === undefined ? {} : { group: step.node.payload.group }),
  };
}

/** Whether members of the group that the head is of are missing. */
function isOpen({ descriptor }: OpenedBundle, { steps }: ThreadContext): boolean {
  return openGroup(descriptor.graph.edges, steps) !== null;
}

function hasJoined(threadId: string, group: string): Failure {
  return failure(
    "TRANSITION_INVALID",
    `the group ${group} of thread ${threadId} has joined: its members cannot be replaced any more`,
    `fork the thread from before the group: uncaged-workflow thread fork ${threadId} --from-step <n>`,
  );
}

async function firstOutput(run: ThreadRun): Promise<ReturnType<typeof parseOutput>> {
  const runtime = run.runtimeAt({ now: () => run.cursor, move: () => undefined });
  const generator = run.workflow(run.context, runtime);
  try {
    const turn = await nextTurn(generator, undefined, run.signal);
    if (turn.kind === "threw") return err(failureFrom(turn.cause, "AGENT_FAILED"));
    if (turn.kind === "interrupted") {
      const { threadId } = run.thread;
      const isFull = run.signal.reason === FULL;
      return err(isFull ? noRoom(threadId, run.room.waitsFor()) : stopped(threadId));
    }
    if (turn.kind === "returned") {
      return err(
        failure("WORKFLOW_FAILED", "the workflow ended instead of running its head step again", ""),
      );
    }
    const output = parseOutput(turn.yielded, run.roles);
    if (!output.ok || output.value.outcome === undefined) return output;
    // A table may have a rule for a failed role; but a poke asks for a better step, not for that rule.
    return err(failure(FAULT_CODES[output.value.outcome], String(output.value.meta.reason), ""));
  } finally {
    // Not awaited: a function that hangs in its own cleanup must not hold up the thread.
    void generator.return({ returnCode: 0, summary: "" }).catch(() => undefined);
  }
}

function madeByPerson(threadId: string): Failure {
  return failure(
    "TRANSITION_INVALID",
    `the last step of thread ${threadId} is a person's answer: it cannot be run again`,
    `to have it answered again, fork the thread before it: uncaged-workflow thread fork ${threadId} --from-step <n>`,
  );
}

function stopped(threadId: string): Failure {
  return failure(
    "THREAD_ABORTED",
    `the poke of thread ${threadId} was stopped`,
    "its head is unchanged",
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
  if (thread.status === "running" && status === "running") {
    return failure(
      "LEASE_HELD",
      `thread ${threadId} is run by process ${thread.lease.process.pid}`,
      `stop or pause it first: uncaged-workflow thread pause ${threadId}`,
    );
  }
  return stepCount === 0 ? nothingToReplace(threadId) : null;
}
