import { ancestorAt } from "@uncaged/workflow-cas";
import { END, type ThreadRecord } from "@uncaged/workflow-protocol";
import { type NodeReader, readNode } from "./read-node.ts";

/** States of a thread's first and last round. */
export type RoundEnds = { first: string; last: string };

/** Found through the skip list, so the cost hardly grows with the thread. Between the two there is one state per round,
 *  so any round can be found by its distance. null where that does not hold: before the first round, or when there are
 *  more states than rounds, as after an upgrade. */
export async function roundEnds(
  cas: Pick<NodeReader, "get">,
  { head, stepCount }: Pick<ThreadRecord, "head" | "stepCount">,
): Promise<RoundEnds | null> {
  if (stepCount === 0) return null;
  const load = ancestorsIn(cas);
  const { role, ancestors } = (await readNode(cas, head, "state")).payload;
  const last = role === END ? ancestors[0] : head;
  if (last === undefined) return null;
  const first = await ancestorAt(last, stepCount - 1, load);
  return first === null || (await load(first)).length > 0 ? null : { first, last };
}

/** Reads the skip list of a state. */
export function ancestorsIn(
  cas: Pick<NodeReader, "get">,
): (hash: string) => Promise<readonly string[]> {
  return async (hash) => (await readNode(cas, hash, "state")).payload.ancestors;
}
