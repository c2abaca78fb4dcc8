import { decodeNode } from "@uncaged/workflow-cas";
import { type CasNode, type CasStore, failure, WorkflowError } from "@uncaged/workflow-protocol";

type NodeOf<T extends CasNode["type"]> = Extract<CasNode, { type: T }>;

/** Reads a node that must be there and must be of this type.
 *  Throws `CAS_MISSING`, `CAS_CORRUPT` or `CHAIN_BROKEN`. */
export async function readNode<T extends CasNode["type"]>(
  cas: Pick<CasStore, "get">,
  hash: string,
  type: T,
): Promise<NodeOf<T>> {
  const node = parseNode(await readBlob(cas, hash));
  if (isOfType(node, type)) return node;
  throw new WorkflowError(
    failure(
      "CHAIN_BROKEN",
      `${hash} is a ${node.type} node where a ${type} node belongs`,
      "run: uncaged-workflow cas fsck",
    ),
  );
}

/** Reads a blob's exact text; it must be there. */
export async function readBlob(cas: Pick<CasStore, "get">, hash: string): Promise<string> {
  const text = await cas.get(hash);
  if (text !== null) return text;
  throw new WorkflowError(
    failure("CAS_MISSING", `the store has no blob ${hash}`, "run: uncaged-workflow cas fsck"),
  );
}

function parseNode(text: string): CasNode {
  const node = decodeNode(text);
  if (node.ok) return node.value;
  throw new WorkflowError(node.error);
}

function isOfType<T extends CasNode["type"]>(node: CasNode, type: T): node is NodeOf<T> {
  return node.type === type;
}
