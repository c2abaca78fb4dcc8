import type {
  EncodedNode,
  HeadMove,
  NodeStore,
  SignalKind,
  ThreadStore,
} from "@uncaged/workflow-protocol";

/** Makes a step's nodes durable and moves the head to it. Gives the signals that wait for the owner. */
export type Publish = (
  nodes: readonly EncodedNode[],
  move: HeadMove,
) => Promise<readonly SignalKind[]>;

/** For stores that have no transaction in common: blobs, then the head. A crash in between leaves garbage
 *  for gc and the step undone. */
export function publishInTurn(ports: { cas: NodeStore; store: ThreadStore }): Publish {
  return async (nodes, move) => {
    await ports.cas.putBatch(nodes);
    return ports.store.advance(move);
  };
}
