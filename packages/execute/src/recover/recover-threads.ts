/** Rebuilds threads that the index has lost from the history and the blobs.
 *
 *  1. A thread that ended comes back as it was: its history line has everything that counts.
 *  2. The blobs of a thread that had not ended do not contain its id. Its last state, which no other state follows,
 *     becomes the head of an idle thread with a new id. Steps that a crash left unpublished, or that a poke replaced,
 *     look the same and come back too: a surplus thread can be removed.
 *  3. Nothing is overwritten: the missing threads are added to the existing index in one transaction. */
import { decodeNode, findLostThreads, markReachable, sha256Hex } from "@uncaged/workflow-cas";
import {
  type AdoptedThread,
  type CasNode,
  END,
  type HistoryLine,
  type NodeStore,
  type StateNode,
  sumUsage,
  type ThreadEnding,
} from "@uncaged/workflow-protocol";
import { newThreadId } from "@uncaged/workflow-util";
import { loadChain, roleStates, startPrompt } from "../chain/chain.ts";
import { readNode } from "../chain/read-node.ts";
import { usageOfChain } from "../chain/spent.ts";
import { versionAfter } from "../chain/upgrades.ts";
import { statusOf } from "../run/finish-thread.ts";
import type { Engine } from "../storage/engine.ts";
import { openAnew } from "../storage/open-anew.ts";

export type RecoveredThreads = {
  /** Ids of threads that had ended. */
  ended: string[];
  /** New ids of threads that had not ended. */
  atRest: string[];
  /** Ids of threads that the history names but whose blobs are gone. */
  gone: string[];
};

/** Throws what `openAnew` throws for a root that has no damage of this kind. */
export async function recoverThreads(opts: {
  root: string;
  packagesBase: string;
  /** Working directory for a thread whose steps name none. */
  cwd: string;
}): Promise<RecoveredThreads> {
  const engine = await openAnew(opts);
  try {
    return await adoptLost(engine, opts.cwd);
  } finally {
    await engine.store.close();
  }
}

async function adoptLost(engine: Engine, cwd: string): Promise<RecoveredThreads> {
  const { ended, untilMs } = await findLostThreads(engine.store);
  const threads: AdoptedThread[] = [];
  const gone: string[] = [];
  for (const line of ended) {
    const thread = await endedThread(engine.cas, line, cwd).catch(() => null);
    if (thread === null) gone.push(line.threadId);
    else threads.push(thread);
  }
  const known = await engine.store.roots();
  const heads = [...known, ...threads].flatMap(({ startHash, head }) => [startHash, head]);
  const atRest: AdoptedThread[] = [];
  for (const head of await lastStates(engine.cas, { heads, untilMs })) {
    const thread = await threadAtRest(engine, head, cwd).catch(() => null);
    if (thread !== null) atRest.push(thread);
  }
  await engine.store.adopt([...threads, ...atRest]);
  return { ended: idsOf(threads), atRest: idsOf(atRest), gone };
}

async function endedThread(cas: NodeStore, line: HistoryLine, cwd: string): Promise<AdoptedThread> {
  const { payload } = await readNode(cas, line.head, "state");
  const start = await readNode(cas, payload.start, "start");
  const { threadId, workflow, bundleHash, head, headSha256, stepCount, startedAt } = line;
  return {
    ...{ threadId, workflow, bundleHash, head, headSha256, stepCount, startedAt },
    ...{ status: line.status, returnCode: line.returnCode, summary: line.summary },
    ...UNKNOWN,
    startHash: payload.start,
    prompt: await startPrompt(cas, { startHash: payload.start }),
    usage: await usageOfChain(cas, { startHash: payload.start, head }),
    depth: start.payload.depth,
    cwd: payload.cwd ?? cwd,
    createdAt: startedAt,
    updatedAt: line.finishedAt,
  };
}

async function threadAtRest(
  { cas, now }: Pick<Engine, "cas" | "now">,
  { hash, text, node }: LastState,
  cwd: string,
): Promise<AdoptedThread> {
  const chain = await loadChain(cas, { startHash: node.payload.start, head: hash });
  const { payload } = chain.start;
  const [first] = chain.states;
  return {
    ...UNKNOWN,
    threadId: newThreadId(now()),
    workflow: payload.name,
    bundleHash: versionAfter(chain).hash,
    startHash: chain.startHash,
    prompt: await startPrompt(cas, chain),
    usage: chain.states.map((state) => state.node.payload.usage ?? null).reduce(sumUsage, null),
    head: hash,
    headSha256: sha256Hex(Buffer.from(text)),
    ...(endingIn(node) ?? AT_REST),
    stepCount: roleStates(chain).length,
    depth: payload.depth,
    cwd: chain.states.findLast((state) => state.node.payload.cwd)?.node.payload.cwd ?? cwd,
    startedAt: first?.node.payload.timestamp ?? node.payload.timestamp,
    createdAt: first?.node.payload.timestamp ?? node.payload.timestamp,
    updatedAt: node.payload.timestamp,
  };
}

/** How the thread with this last state ended; null: it has not. */
function endingIn({ payload: { role, meta } }: StateNode): ThreadEnding | null {
  if (role !== END || typeof meta.returnCode !== "number") return null;
  const { returnCode, summary } = meta;
  const status = statusOf(returnCode);
  return { status, returnCode, summary: typeof summary === "string" ? summary : "" };
}

const AT_REST = { status: "idle", pendingInput: null } as const;

/** What only the index knew. */
const UNKNOWN = {
  parentThread: null,
  limits: null,
  agent: null,
  title: null,
  labels: {},
  forkedFrom: null,
} as const;

type LastState = { hash: string; text: string; node: StateNode };

/** States of lost threads that no other state follows. */
async function lastStates(
  cas: NodeStore,
  { heads, untilMs }: { heads: readonly string[]; untilMs: number },
): Promise<LastState[]> {
  const { reachable } = await markReachable(heads, (hash) => cas.get(hash));
  const states = new Map<string, LastState>();
  const followed = new Set<string>();
  for (const hash of await cas.list()) {
    const text = reachable.has(hash) ? null : await cas.get(hash).catch(() => null);
    const node = text === null ? null : stateIn(text);
    if (text === null || node === null) continue;
    for (const ancestor of node.payload.ancestors) followed.add(ancestor);
    if (node.payload.timestamp > untilMs) states.set(hash, { hash, text, node });
  }
  return [...states.values()].filter(({ hash }) => !followed.has(hash));
}

function stateIn(text: string): StateNode | null {
  const node = decodeNode(text);
  return node.ok && isState(node.value) ? node.value : null;
}

function isState(node: CasNode): node is StateNode {
  return node.type === "state";
}

function idsOf(threads: readonly AdoptedThread[]): string[] {
  return threads.map(({ threadId }) => threadId);
}
