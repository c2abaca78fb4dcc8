import {
  END,
  isFinal,
  type StepView,
  type ThreadRecord,
  type ThreadView,
  type UpgradeView,
} from "@uncaged/workflow-protocol";
import { type ChainState, isRound, promptHash } from "./chain.ts";
import type { Engine } from "./engine.ts";
import { observedStatus } from "./observe.ts";
import { type NodeReader, readContents, readNode } from "./read-node.ts";
import { runOf } from "./thread-context.ts";
import { upgradeOf } from "./upgrades.ts";
import { walkChain } from "./walk-chain.ts";

/** Everything about a thread, for people and scripts. */
export async function viewThread(
  engine: Pick<Engine, "cas" | "now">,
  thread: ThreadRecord,
): Promise<ThreadView> {
  // Before the long reading: a record says nothing of a process that ended after it was read.
  const seen = observedStatus(thread, engine.now());
  const start = await readNode(engine.cas, thread.startHash, "start");
  const { steps, upgrades, end } = await pastOf(engine.cas, thread);
  const prompt = await readNode(engine.cas, promptHash(start), "content");
  const { threadId, workflow, bundleHash, head, cwd, suspended, forkedFrom } = thread;
  return {
    threadId,
    workflow,
    bundleHash,
    ...seen,
    head,
    start: {
      hash: thread.startHash,
      prompt: prompt.payload,
      timestamp: thread.startedAt,
      depth: thread.depth,
      parentState: start.payload.parentState,
    },
    steps: await withContents(engine.cas, steps, 1),
    upgrades,
    suspended,
    result: resultOf(thread),
    end,
    forkedFrom,
    cwd,
  };
}

/** What the thread was started with; nothing else of it is read. */
export async function startPrompt(
  cas: NodeReader,
  { startHash }: Pick<ThreadRecord, "startHash">,
): Promise<string> {
  const start = await readNode(cas, startHash, "start");
  return (await readNode(cas, promptHash(start), "content")).payload;
}

/** The steps that these states are, of which the first is this round. */
export function stepViews(
  cas: NodeReader,
  states: readonly ChainState[],
  firstRound: number,
): Promise<StepView[]> {
  return withContents(cas, states.map(stepOf), firstRound);
}

/** What a state alone says of its step. */
type BareStep = Omit<StepView, "round" | "content">;

/** The steps and the upgrades, oldest first, and the end. Of a state is kept what is shown of it, which is less than half. */
async function pastOf(
  cas: NodeReader,
  thread: ThreadRecord,
): Promise<{ steps: BareStep[]; upgrades: UpgradeView[]; end: ThreadView["end"] }> {
  const steps: BareStep[] = [];
  const upgrades: UpgradeView[] = [];
  let end: ThreadView["end"] = null;
  for await (const state of walkChain(cas, thread)) {
    if (isRound(state)) steps.push(stepOf(state));
    if (state.node.payload.role === END) end = { run: runOf(state.node) };
    const upgrade = upgradeOf(state.node);
    if (upgrade === null) continue;
    const { timestamp } = state.node.payload;
    // How many rounds there are is known at the start of the chain: counted from the end until then.
    upgrades.push({ afterRound: steps.length, ...upgrade, stateHash: state.hash, timestamp });
  }
  for (const upgrade of upgrades) upgrade.afterRound = steps.length - upgrade.afterRound;
  return { steps: steps.reverse(), upgrades: upgrades.reverse(), end };
}

async function withContents(
  cas: NodeReader,
  steps: readonly BareStep[],
  firstRound: number,
): Promise<StepView[]> {
  const views: StepView[] = [];
  for await (const { item, node } of readContents(cas, steps)) {
    const { role, meta, ...step } = item;
    // In the order in which they are shown.
    views.push({ round: firstRound + views.length, role, meta, content: node.payload, ...step });
  }
  return views;
}

function stepOf({ hash, node }: ChainState): BareStep {
  const { role, meta, content, timestamp, childThread, route, outcome } = node.payload;
  return {
    role,
    meta,
    stateHash: hash,
    contentHash: content,
    timestamp,
    childThread,
    outcome: outcome ?? "ok",
    route,
    run: runOf(node),
  };
}

/** How a thread ended; null while it has not. */
export function resultOf(thread: ThreadRecord): ThreadView["result"] {
  if (!isFinal(thread.status)) return null;
  return {
    returnCode: thread.returnCode ?? 1,
    summary: thread.summary ?? "",
    rootHash: thread.head,
  };
}
