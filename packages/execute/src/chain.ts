/** The chain of a thread, read from its head back to its start.
 *
 *  1. Oldest first. Role results are rounds; an upgrade between them and an end node after them are none.
 *  2. Every state names the thread's start node; one that does not breaks the chain. */
import {
  type CasStore,
  END,
  failure,
  type StartNode,
  type StateNode,
  type StatePayload,
  UPGRADE,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { readNode } from "./read-node.ts";

export type ChainState = { hash: string; node: StateNode };
export type Chain = { startHash: string; start: StartNode; states: ChainState[] };

/** Loads the whole chain: one read a step. Throws `CAS_MISSING`, `CAS_CORRUPT` or `CHAIN_BROKEN`. */
export async function loadChain(
  cas: Pick<CasStore, "get">,
  thread: { startHash: string; head: string },
): Promise<Chain> {
  const start = await readNode(cas, thread.startHash, "start");
  const states: ChainState[] = [];
  let hash = thread.head;
  while (hash !== thread.startHash) {
    const node = await readNode(cas, hash, "state");
    if (node.payload.start !== thread.startHash)
      throw foreignState(hash, node.payload, thread.startHash);
    states.push({ hash, node });
    hash = node.payload.ancestors[0] ?? thread.startHash;
  }
  states.reverse();
  return { startHash: thread.startHash, start, states };
}

/** The role results of a chain: all but upgrades and the end node. State i of them is round i + 1. */
export function roleStates(chain: Chain): ChainState[] {
  return chain.states.filter(({ node: { payload } }) => !isMark(payload.role));
}

/** The end node; null while the thread has not ended. */
export function endState(chain: Chain): ChainState | null {
  const last = chain.states.at(-1);
  return last?.node.payload.role === END ? last : null;
}

function isMark(role: string): boolean {
  return role === END || role === UPGRADE;
}

/** Hash of the thread's prompt: the start node's first reference. */
export function promptHash(start: StartNode): string {
  const hash = start.refs[0];
  if (hash !== undefined) return hash;
  throw new WorkflowError(
    failure("CHAIN_BROKEN", "the start node names no prompt", "run: uncaged-workflow cas fsck"),
  );
}

/** Artifacts a state names: its references less those that have a field of their own. */
export function artifactRefs(node: StateNode): string[] {
  const { ancestors, prompt, evidence } = node.payload;
  const before = 2 + ancestors.length;
  const after = (prompt ? 1 : 0) + (evidence?.length ?? 0);
  return node.refs.slice(before, node.refs.length - after);
}

function foreignState(hash: string, payload: StatePayload, startHash: string): WorkflowError {
  return new WorkflowError(
    failure(
      "CHAIN_BROKEN",
      `state ${hash} belongs to start ${payload.start}, not to ${startHash}`,
      "run: uncaged-workflow cas fsck",
    ),
  );
}
