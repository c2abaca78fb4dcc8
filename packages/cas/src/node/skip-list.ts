/** The skip list of a state: its ancestors at distances 1, 2, 4 … 1024, in this order.
 *  `ancestors[k]` is 2^k steps back, so any earlier step is a few jumps away. */

/** Reads the ancestors of a state. */
export type LoadAncestors = (stateHash: string) => Promise<readonly string[]>;

const LONGEST_JUMP = 10; // 2^10 = 1024 steps

/** The state `distance` steps before `head` (0 is `head` itself); null when the chain is shorter.
 *  O(log distance) loads, and one more for each 1024 steps. */
export async function ancestorAt(
  head: string,
  distance: number,
  load: LoadAncestors,
): Promise<string | null> {
  let at = head;
  for (let left = distance; left > 0; ) {
    const jump = Math.min(LONGEST_JUMP, Math.floor(Math.log2(left)));
    const next = (await load(at))[jump];
    if (next === undefined) return null;
    at = next;
    left -= 2 ** jump;
  }
  return at;
}
