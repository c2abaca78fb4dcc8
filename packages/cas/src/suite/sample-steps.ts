import assert from "node:assert/strict";
import type {
  EncodedNode,
  HeadMove,
  Lease,
  RootStore,
  ThreadStore,
} from "@uncaged/workflow-protocol";
import { encodeContent, encodeState } from "../node/codec.ts";
import { hashBytes } from "../node/hash.ts";

const START = encodeContent("the start of a sample thread");

/** The position of a sample thread before its first step; stored together with that step. */
export const ORIGIN: string = START.hash;

export type SampleStep = { state: EncodedNode; nodes: readonly EncodedNode[] };
export type SampleSteps = {
  all: readonly SampleStep[];
  at(n: number): SampleStep;
  last: SampleStep;
};

/** A chain of steps: each a content node and the state that names it. */
export function sampleSteps(count: number): SampleSteps {
  const all: SampleStep[] = [];
  const at = (n: number): SampleStep => {
    const step = all[n];
    assert.ok(step !== undefined, `there is no step ${n}`);
    return step;
  };
  for (let n = 0; n < count; n += 1) {
    const content = encodeContent(`step ${n}`);
    const ancestors = n === 0 ? [] : [at(n - 1).state.hash];
    const state = encodeState(
      {
        role: "coder",
        meta: {},
        start: ORIGIN,
        content: content.hash,
        ancestors,
        compact: null,
        timestamp: n,
        childThread: null,
        digests: {},
        route: null,
      },
      [content.hash, ORIGIN, ...ancestors],
    );
    all.push({ state, nodes: n === 0 ? [START, content, state] : [content, state] });
  }
  return { all, at, last: at(count - 1) };
}

/** Creates the n-th thread and takes its lease. */
export async function ownedThread(
  threads: ThreadStore,
  n = 0,
  { at = ORIGIN, nowMs = 1 }: { at?: string; nowMs?: number } = {},
): Promise<Lease> {
  const threadId = await threadAt(threads, n, { at, nowMs });
  const process = { pid: 1, startedAt: "then", bootId: "boot" };
  return threads.acquire({ threadId, process, ttlMs: 1, nowMs, replaces: null });
}

/** Creates the n-th thread, whose start and head is this node. */
export async function threadAt(
  threads: ThreadStore,
  n: number,
  { at, nowMs = 1 }: { at: string; nowMs?: number },
): Promise<string> {
  const threadId = `01HF${String(n).padStart(22, "0")}`;
  await threads.create(
    {
      threadId,
      workflow: "sample",
      bundleHash: hashBytes("a bundle"),
      startHash: at,
      head: at,
      headSha256: "0".repeat(64),
      stepCount: 0,
      depth: 0,
      parentThread: null,
      cwd: "/",
      forkedFrom: null,
      startedAt: nowMs,
      createdAt: nowMs,
    },
    null,
  );
  return threadId;
}

/** The move from the previous step's state, or from the thread's start. */
export function moveTo(
  { threadId, fence }: Lease,
  to: SampleStep,
  before?: SampleStep,
): Extract<HeadMove, { kind: "append" }> {
  const { hash, sha256 } = to.state;
  const from = before?.state.hash ?? ORIGIN;
  return { kind: "append", threadId, fence, from, to: hash, toSha256: sha256, nowMs: 2 };
}

/** Publishes the steps one after the other; returns all their nodes. */
export async function publishAll(
  store: RootStore,
  lease: Lease,
  { all }: SampleSteps,
): Promise<EncodedNode[]> {
  let before: SampleStep | undefined;
  for (const step of all) {
    await store.publish(step.nodes, moveTo(lease, step, before));
    before = step;
  }
  return all.flatMap(({ nodes }) => nodes);
}

export async function allAreThere(store: RootStore, nodes: readonly EncodedNode[]): Promise<void> {
  for (const { hash, text } of nodes) assert.equal(await store.get(hash), text);
}

export function hashesOf(nodes: readonly EncodedNode[]): string[] {
  return nodes.map(({ hash }) => hash).sort();
}
