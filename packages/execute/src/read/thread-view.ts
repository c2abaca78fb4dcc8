import {
  END,
  isFinished,
  queuePlaceOf,
  type RecordedResult,
  type StepView,
  suspensionOf,
  type ThreadRecord,
  type ThreadView,
  titleOf,
  type UpgradeView,
} from "@uncaged/workflow-protocol";
import { type ChainState, isNote, isRound, promptHash } from "../chain/chain.ts";
import { lostAttempts } from "../chain/lost-attempts.ts";
import type { StoredNote } from "../chain/notes.ts";
import { type NodeReader, readContents, readNode } from "../chain/read-node.ts";
import { recordedResult } from "../chain/recorded-result.ts";
import { runOf } from "../chain/thread-context.ts";
import { upgradeOf } from "../chain/upgrades.ts";
import { walkChain } from "../chain/walk-chain.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";
import { openWaits } from "../watch/open-waits.ts";
import { threadActivity } from "../watch/thread-activity.ts";
import { withOutsideChanges } from "./outside-changes.ts";
import { notedWorkers, workersNow } from "./worker-views.ts";

type Viewing = Pick<Engine, "cas" | "live" | "now" | "store">;

/** Everything about a thread, for people and scripts. */
export async function viewThread(engine: Viewing, thread: ThreadRecord): Promise<ThreadView> {
  const { past, ...head } = await headOf(engine, thread);
  return { ...head, steps: withOutsideChanges(await withContents(engine.cas, past.steps, 1)) };
}

/** A thread without its steps. */
export async function threadHead(
  engine: Viewing,
  thread: ThreadRecord,
): Promise<Omit<ThreadView, "steps">> {
  const { past: _, ...head } = await headOf(engine, thread);
  return head;
}

async function headOf(
  engine: Viewing,
  thread: ThreadRecord,
): Promise<Omit<ThreadView, "steps"> & { past: Past }> {
  // Before the long read: a record says nothing about a process that ended after it was read.
  const seen = observedStatus(thread, engine.now());
  const past = await pastOf(engine.cas, thread);
  const { upgrades, end, recorded } = past;
  const start = await readNode(engine.cas, thread.startHash, "start");
  const prompt = await readNode(engine.cas, promptHash(start), "content");
  const { threadId, workflow, bundleHash, head, cwd, forkedFrom } = thread;
  return {
    threadId,
    workflow,
    bundleHash,
    ...seen,
    head,
    title: titleOf(thread),
    labels: thread.labels,
    usage: thread.usage,
    priority: thread.priority,
    pool: thread.pool,
    needs: thread.needs,
    queue: queuePlaceOf(thread),
    start: {
      hash: thread.startHash,
      prompt: prompt.payload,
      timestamp: thread.startedAt,
      depth: thread.depth,
      parentState: start.payload.parentState,
    },
    upgrades,
    suspended: suspensionOf(thread),
    waits: await openWaits(engine, thread),
    result: resultOf(thread, recorded),
    end,
    // A finished thread has its last usage in the end node.
    unrecorded: end === null ? [...(await lostAttempts(engine, thread)).spent] : [],
    forkedFrom,
    cwd,
    // Read last, so it is the most current of all.
    activity: seen.status === "running" ? await threadActivity(engine.live, threadId) : null,
    ...(past.open.length === 0
      ? {}
      : { workers: await workersNow(engine, thread, notedWorkers(past.open)) }),
    past,
  };
}

/** The steps that these states represent; the first one is this round. */
export function stepViews(
  cas: NodeReader,
  states: readonly ChainState[],
  firstRound: number,
): Promise<StepView[]> {
  return withContents(cas, states.map(stepOf), firstRound);
}

/** The steps without what was said in them. */
export async function bareSteps(cas: NodeReader, thread: ThreadRecord): Promise<BareStep[]> {
  return (await pastOf(cas, thread)).steps;
}

/** What a state alone says about its step. */
export type BareStep = Omit<StepView, "round" | "content">;

type Past = {
  steps: BareStep[];
  upgrades: UpgradeView[];
  end: ThreadView["end"];
  recorded: RecordedResult | null;
  /** Notes of the step under way. */
  open: StoredNote[];
};

/** The steps and upgrades, oldest first, and the end. Only what is shown of a state is kept, less than half of it. */
async function pastOf(cas: NodeReader, thread: ThreadRecord): Promise<Past> {
  const steps: BareStep[] = [];
  const upgrades: UpgradeView[] = [];
  let end: ThreadView["end"] = null;
  let recorded: RecordedResult | null = null;
  const open: StoredNote[] = [];
  // Notes come before the round that they belong to, and the chain is read backwards.
  let notes = open;
  const settle = (): void => {
    const step = steps.at(-1);
    if (step === undefined || notes.length === 0) return;
    const workers = notedWorkers(notes).map(({ spawn: _, ...worker }) => worker);
    if (workers.length > 0) step.workers = workers;
  };
  for await (const state of walkChain(cas, thread)) {
    if (isNote(state)) {
      // Loaded on demand: what parses notes takes a fifth of the time of a command, and few threads have any.
      const { noteOf } = await import("../chain/notes.ts");
      const note = noteOf(state);
      if (note !== null) notes.unshift(note);
    }
    if (isRound(state)) {
      settle();
      steps.push(stepOf(state));
      notes = [];
    }
    if (state.node.payload.role === END) {
      end = { run: runOf(state.node) };
      recorded = recordedResult(state.node);
    }
    const upgrade = upgradeOf(state.node);
    if (upgrade === null) continue;
    const { timestamp } = state.node.payload;
    // The number of rounds is known only at the start of the chain: until then we count backwards from the end.
    upgrades.push({ afterRound: steps.length, ...upgrade, stateHash: state.hash, timestamp });
  }
  settle();
  for (const upgrade of upgrades) upgrade.afterRound = steps.length - upgrade.afterRound;
  return { steps: steps.reverse(), upgrades: upgrades.reverse(), end, recorded, open };
}

async function withContents(
  cas: NodeReader,
  steps: readonly BareStep[],
  firstRound: number,
): Promise<StepView[]> {
  const views: StepView[] = [];
  for await (const { item, node } of readContents(cas, steps)) {
    const { role, meta, ...step } = item;
    // In display order.
    views.push({ round: firstRound + views.length, role, meta, content: node.payload, ...step });
  }
  return views;
}

function stepOf({ hash, node }: ChainState): BareStep {
  const { role, meta, content, timestamp, childThread, route, outcome, group, workspace, proof } =
    node.payload;
  return {
    role,
    meta,
    stateHash: hash,
    contentHash: content,
    timestamp,
    childThread,
    outcome: outcome ?? "ok",
    ...(group === undefined ? {} : { group }),
    route,
    run: runOf(node),
    ...(workspace === undefined ? {} : { workspace }),
    ...(proof === undefined ? {} : { proof }),
  };
}

/** How a thread ended; null while it has not. */
export function resultOf(
  thread: ThreadRecord,
  recorded: RecordedResult | null,
): ThreadView["result"] {
  if (!isFinished(thread)) return null;
  const { returnCode, summary, head: rootHash } = thread;
  return { returnCode, summary, rootHash, ...recorded };
}
