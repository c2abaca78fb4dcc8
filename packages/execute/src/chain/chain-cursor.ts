/** Where the next step of a thread goes. Only the owner of the lease holds one. It is a value: what it says stays true,
 *  and each step that is published returns the next one. */
import type { EncodedNode, RunningThread } from "@uncaged/workflow-protocol";
import { type Chain, roleStates } from "./chain.ts";

export type ChainCursor = {
  readonly threadId: string;
  readonly fence: number;
  readonly startHash: string;
  /** The states that the next one follows, oldest first: as many of the last as its skip list may name. */
  readonly lastStates: readonly string[];
  /** Role results so far. */
  readonly rounds: number;
  /** SHA-256 (hex) of the last state; of the start node before the first step. */
  readonly parentSha256: string;
  /** The thread's head as the index has it. It is that last state, except when a head is replaced. */
  readonly head: string;
};

/** What the nodes of a step depend on. */
export type ChainPlace = Pick<ChainCursor, "startHash" | "lastStates" | "parentSha256">;

/** For the owner of this fence, behind the last state of `chain`. `parentSha256` is that state's where it is not the
 *  thread's head. */
export function cursorAt(
  thread: Pick<RunningThread, "threadId" | "startHash" | "head" | "headSha256">,
  chain: Chain,
  { fence, parentSha256 = thread.headSha256 }: { fence: number; parentSha256?: string },
): ChainCursor {
  const { threadId, startHash, head } = thread;
  const lastStates = chain.states.slice(-FARTHEST).map((state) => state.hash);
  const rounds = roleStates(chain).length;
  return { threadId, fence, startHash, lastStates, rounds, parentSha256, head };
}

/** Behind the step that was published here. */
export function cursorAfter(cursor: ChainCursor, { hash, sha256 }: EncodedNode): ChainCursor {
  return {
    ...cursor,
    lastStates: [...cursor.lastStates.slice(1 - FARTHEST), hash],
    rounds: cursor.rounds + 1,
    parentSha256: sha256,
    head: hash,
  };
}

/** What the next step follows: the last state, or the start node before the first step. */
export function parentOf({ lastStates, startHash }: Omit<ChainPlace, "parentSha256">): string {
  return lastStates.at(-1) ?? startHash;
}

const FARTHEST = 1024;

/** Ancestors at distances 1, 2, 4, … 1024 of the state that comes after `hashes`, as far as they exist. */
export function skipList(hashes: readonly string[]): string[] {
  const ancestors: string[] = [];
  for (let distance = 1; distance <= FARTHEST; distance *= 2) {
    const hash = hashes[hashes.length - distance];
    if (hash === undefined) break;
    ancestors.push(hash);
  }
  return ancestors;
}
