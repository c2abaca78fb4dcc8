/** The chain of a thread, read from its head back to its start.
 *
 *  1. Oldest first. Only role results are rounds; upgrades, notes of coordinators and the end node are not.
 *  2. Every state names the thread's start node; a state that names another one breaks the chain. */
import {
  COORDINATION,
  END,
  failure,
  type StartNode,
  type StateNode,
  UPGRADE,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { type NodeReader, readNode } from "./read-node.ts";
import { type ChainState, walkChain } from "./walk-chain.ts";

export type { ChainState };

export type Chain = { startHash: string; start: StartNode; states: ChainState[] };

/** Loads the whole chain. Throws `CAS_MISSING`, `CAS_CORRUPT` or `CHAIN_BROKEN`. */
export async function loadChain(
  cas: NodeReader,
  thread: { startHash: string; head: string },
): Promise<Chain> {
  const start = await readNode(cas, thread.startHash, "start");
  return extendChain(cas, { startHash: thread.startHash, start, states: [] }, thread.head);
}

/** Extends a loaded chain to `head`, reading only the new states. */
export async function extendChain(cas: NodeReader, known: Chain, head: string): Promise<Chain> {
  const last = known.states.at(-1)?.hash;
  const states: ChainState[] = [];
  for await (const state of walkChain(cas, { startHash: known.startHash, head })) {
    if (state.hash === last) return { ...known, states: [...known.states, ...states.reverse()] };
    states.push(state);
  }
  return { ...known, states: states.reverse() };
}

/** The role results of a chain: every state except upgrades, notes and the end node. State i of them is round i + 1. */
export function roleStates(chain: Chain): ChainState[] {
  return chain.states.filter(isRound);
}

/** Whether a state is the result of a role. */
export function isRound({ node }: ChainState): boolean {
  return !ASIDE.has(node.payload.role);
}

/** Whether a state is a note of a coordinating step, which comes after it. */
export function isNote({ node }: Pick<ChainState, "node">): boolean {
  return node.payload.role === COORDINATION;
}

const ASIDE: ReadonlySet<string> = new Set([END, UPGRADE, COORDINATION]);

/** The end node; null while the thread has not ended. */
export function endState(chain: Chain): ChainState | null {
  const last = chain.states.at(-1);
  return last?.node.payload.role === END ? last : null;
}

/** Hash of the thread's prompt: the start node's first reference. */
export function promptHash(start: StartNode): string {
  const hash = start.refs[0];
  if (hash !== undefined) return hash;
  throw new WorkflowError(
    failure("CHAIN_BROKEN", "the start node names no prompt", "run: uncaged-workflow cas fsck"),
  );
}

/** What the thread was started with; reads nothing else of it. Throws `CAS_MISSING` or `CAS_CORRUPT`. */
export async function startPrompt(
  cas: NodeReader,
  { startHash }: { startHash: string },
): Promise<string> {
  const start = await readNode(cas, startHash, "start");
  return (await readNode(cas, promptHash(start), "content")).payload;
}

/** Artifacts that a state names: its references without those that have a field of their own. */
export function artifactRefs(node: StateNode): string[] {
  const { ancestors, prompt, evidence } = node.payload;
  const before = 2 + ancestors.length;
  const after = (prompt ? 1 : 0) + (evidence?.length ?? 0);
  return node.refs.slice(before, node.refs.length - after);
}
