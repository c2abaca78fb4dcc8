import type { NodeStore, ThreadStore } from "@uncaged/workflow-protocol";
import type { Publish } from "./publish.ts";

/** For stores in memory, which have no transaction in common: blobs, then the head. */
export function publishInTurn(ports: { cas: NodeStore; store: ThreadStore }): Publish {
  return async (nodes, move) => {
    await ports.cas.putBatch(nodes);
    return ports.store.advance(move);
  };
}
