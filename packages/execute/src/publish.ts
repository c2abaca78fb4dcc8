import type { EncodedNode, HeadMove, SignalKind } from "@uncaged/workflow-protocol";

/** Makes a step's nodes durable and moves the head to it. Gives the signals that wait for the owner. */
export type Publish = (
  nodes: readonly EncodedNode[],
  move: HeadMove,
) => Promise<readonly SignalKind[]>;
