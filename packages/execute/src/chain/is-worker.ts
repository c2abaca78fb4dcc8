import { decodeNode } from "@uncaged/workflow-cas";
import { type CasNode, COORDINATION, type ThreadRecord } from "@uncaged/workflow-protocol";
import { type NodeReader, readNode } from "./read-node.ts";

/** Whether a coordinating step started this thread. A fork of a worker is nobody's. */
export async function isWorker(
  cas: NodeReader,
  { parentThread, startHash }: Pick<ThreadRecord, "parentThread" | "startHash">,
): Promise<boolean> {
  if (parentThread === null) return false;
  const { parentState } = (await readNode(cas, startHash, "start")).payload;
  // The first step of a thread may start a child: its state before is the start node.
  if (parentState === null) return false;
  const text = await cas.get(parentState);
  const parent = text === null ? null : decodeNode(text);
  return parent?.ok === true && isStateOf(parent.value, COORDINATION);
}

function isStateOf(node: CasNode, role: string): boolean {
  return node.type === "state" && node.payload.role === role;
}
