import {
  type CasStore,
  isFinal,
  type StepView,
  type ThreadRecord,
  type ThreadView,
  type UpgradeView,
} from "@uncaged/workflow-protocol";
import { type Chain, type ChainState, loadChain, promptHash, roleStates } from "./chain.ts";
import type { Engine } from "./engine.ts";
import { observedStatus } from "./observe.ts";
import { readNode } from "./read-node.ts";
import { runOf } from "./thread-context.ts";
import { upgradeOf } from "./upgrades.ts";

/** Everything about a thread, for people and scripts. */
export async function viewThread(
  engine: Pick<Engine, "cas" | "now">,
  thread: ThreadRecord,
): Promise<ThreadView> {
  const chain = await loadChain(engine.cas, thread);
  const prompt = await readNode(engine.cas, promptHash(chain.start), "content");
  const { threadId, workflow, bundleHash, head, cwd, suspended, forkedFrom } = thread;
  return {
    threadId,
    workflow,
    bundleHash,
    ...observedStatus(thread, engine.now()),
    head,
    start: {
      hash: thread.startHash,
      prompt: prompt.payload,
      timestamp: thread.startedAt,
      depth: thread.depth,
      parentState: chain.start.payload.parentState,
    },
    steps: await stepViews(engine.cas, chain, { fromRound: 1 }),
    upgrades: upgradeViews(chain),
    suspended,
    result: resultOf(thread),
    forkedFrom,
    cwd,
  };
}

/** The steps from this round on. */
export async function stepViews(
  cas: Pick<CasStore, "get">,
  chain: Chain,
  opts: { fromRound: number },
): Promise<StepView[]> {
  const views: StepView[] = [];
  const states = roleStates(chain);
  for (let round = opts.fromRound; round <= states.length; round++) {
    const state = states[round - 1];
    if (state !== undefined) views.push(await stepView(cas, state, round));
  }
  return views;
}

function upgradeViews(chain: Chain): UpgradeView[] {
  const views: UpgradeView[] = [];
  let upgrades = 0;
  for (const [index, { hash, node }] of chain.states.entries()) {
    const upgrade = upgradeOf(node);
    if (upgrade === null) continue;
    const { from, to } = upgrade;
    const { timestamp } = node.payload;
    views.push({ afterRound: index - upgrades, from, to, stateHash: hash, timestamp });
    upgrades += 1;
  }
  return views;
}

async function stepView(
  cas: Pick<CasStore, "get">,
  { hash, node }: ChainState,
  round: number,
): Promise<StepView> {
  const { role, meta, content, timestamp, childThread, route, outcome } = node.payload;
  return {
    round,
    role,
    meta,
    content: (await readNode(cas, content, "content")).payload,
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
