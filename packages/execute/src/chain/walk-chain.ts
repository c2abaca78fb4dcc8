import {
  failure,
  type StateNode,
  type StatePayload,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { readAhead } from "./read-ahead.ts";
import { type NodeReader, readNode } from "./read-node.ts";

export type ChainState = { hash: string; node: StateNode };

/** States that are read together first, as a power of two: what a caller looks for is usually near the head. Each
 *  further batch is twice as large. */
const FIRST_JUMPS = 4;
const MOST_JUMPS = 10;

/** The states of a chain from its head back to its start, newest first. A damaged, missing or foreign state is reported
 *  when the walk reaches it, not before. Throws `CAS_MISSING`, `CAS_CORRUPT` or `CHAIN_BROKEN`. */
export async function* walkChain(
  cas: NodeReader,
  { startHash, head }: { startHash: string; head: string },
): AsyncGenerator<ChainState, void> {
  let ahead: Awaited<ReturnType<typeof readAhead>> = [];
  let jumps = FIRST_JUMPS;
  let [hash, at] = [head, 0];
  while (hash !== startHash) {
    if (at >= ahead.length) {
      ahead = await readAhead(cas, hash, jumps);
      [at, jumps] = [0, Math.min(jumps + 1, MOST_JUMPS)];
    }
    const known = ahead[at];
    const node = known?.hash === hash ? known.node : await readNode(cas, hash, "state");
    if (node.payload.start !== startHash) throw foreignState(hash, node.payload, startHash);
    yield { hash, node };
    hash = node.payload.ancestors[0] ?? startHash;
    at += 1;
  }
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
