/** Where the next step of a thread goes. Only the owner of the lease holds a cursor. It is an immutable value:
 *  publishing a step returns the next cursor. */
import type { EncodedNode, RunningThread, ThreadFacts } from "@uncaged/workflow-protocol";
import { type Chain, roleStates } from "./chain.ts";

export type ChainCursor = {
  readonly threadId: string;
  readonly fence: number;
  readonly startHash: string;
  /** The states before the next one, oldest first: as many of the latest as its skip list can name. */
  readonly lastStates: readonly string[];
  /** Role results so far. */
  readonly rounds: number;
  /** SHA-256 (hex) of the last state, or of the start node before the first step. */
  readonly parentSha256: string;
  /** The thread's head as the index has it: the last state, except while a head is being replaced. */
  readonly head: string;
};

/** What the nodes of a step depend on. */
export type ChainPlace = Pick<ChainCursor, "startHash" | "lastStates" | "parentSha256">;

/** What the next step depends on when it follows the thread's head. */
export function placeAfter(
  { startHash, headSha256 }: Pick<ThreadFacts, "startHash" | "headSha256">,
  chain: Chain,
): ChainPlace {
  const lastStates = chain.states.slice(-FARTHEST).map((state) => state.hash);
  return { startHash, lastStates, parentSha256: headSha256 };
}

/** A cursor after the last state of `chain`, for the owner of this fence. `parentSha256` is needed when that state is
 *  not the thread's head. */
export function cursorAt(
  thread: Pick<RunningThread, "threadId" | "startHash" | "head" | "headSha256">,
  chain: Chain,
  { fence, parentSha256 = thread.headSha256 }: { fence: number; parentSha256?: string },
): ChainCursor {
  const { threadId, head } = thread;
  const rounds = roleStates(chain).length;
  return { ...placeAfter(thread, chain), threadId, fence, rounds, parentSha256, head };
}

/** The cursor after the step that was published here. */
export function cursorAfter(cursor: ChainCursor, { hash, sha256 }: EncodedNode): ChainCursor {
  return {
    ...cursor,
    lastStates: [...cursor.lastStates.slice(1 - FARTHEST), hash],
    rounds: cursor.rounds + 1,
    parentSha256: sha256,
    head: hash,
  };
}

/** The node that the next step follows: the last state, or the start node before the first step. */
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
