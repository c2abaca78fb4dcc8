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
import { type ChainState, isRound, promptHash } from "../chain/chain.ts";
import { lostAttempts } from "../chain/lost-attempts.ts";
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

/** Everything about a thread, for people and scripts. */
export async function viewThread(
  engine: Pick<Engine, "cas" | "live" | "now" | "store">,
  thread: ThreadRecord,
): Promise<ThreadView> {
  // Before the long read: a record says nothing about a process that ended after it was read.
  const seen = observedStatus(thread, engine.now());
  const start = await readNode(engine.cas, thread.startHash, "start");
  const { steps, upgrades, end, recorded } = await pastOf(engine.cas, thread);
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
    queue: queuePlaceOf(thread),
    start: {
      hash: thread.startHash,
      prompt: prompt.payload,
      timestamp: thread.startedAt,
      depth: thread.depth,
      parentState: start.payload.parentState,
    },
    steps: withOutsideChanges(await withContents(engine.cas, steps, 1)),
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

/** What a state alone says about its step. */
type BareStep = Omit<StepView, "round" | "content">;

type Past = {
  steps: BareStep[];
  upgrades: UpgradeView[];
  end: ThreadView["end"];
  recorded: RecordedResult | null;
};

/** The steps and upgrades, oldest first, and the end. Only what is shown of a state is kept, less than half of it. */
async function pastOf(cas: NodeReader, thread: ThreadRecord): Promise<Past> {
  const steps: BareStep[] = [];
  const upgrades: UpgradeView[] = [];
  let end: ThreadView["end"] = null;
  let recorded: RecordedResult | null = null;
  for await (const state of walkChain(cas, thread)) {
    if (isRound(state)) steps.push(stepOf(state));
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
  for (const upgrade of upgrades) upgrade.afterRound = steps.length - upgrade.afterRound;
  return { steps: steps.reverse(), upgrades: upgrades.reverse(), end, recorded };
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
  const { role, meta, content, timestamp, childThread, route, outcome, group, workspace } =
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
