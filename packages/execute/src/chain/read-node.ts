import { decodeNode } from "@uncaged/workflow-cas";
import {
  type CasNode,
  type CasStore,
  failure,
  type NodeStore,
  WorkflowError,
} from "@uncaged/workflow-protocol";

type NodeOf<T extends CasNode["type"]> = Extract<CasNode, { type: T }>;

/** What code that reads a whole thread needs. */
export type NodeReader = Pick<NodeStore, "get" | "getMany">;

/** Reads a node that must exist and must be of this type. Throws `CAS_MISSING`, `CAS_CORRUPT` or `CHAIN_BROKEN`. */
export async function readNode<T extends CasNode["type"]>(
  cas: Pick<CasStore, "get">,
  hash: string,
  type: T,
): Promise<NodeOf<T>> {
  return nodeOf(hash, await readBlob(cas, hash), type);
}

/** The content nodes that these items name, in order, read many at a time. Throws the same errors, for the first item
 *  that fails. */
export async function* readContents<T extends { contentHash: string }>(
  cas: NodeReader,
  items: readonly T[],
): AsyncGenerator<{ item: T; node: NodeOf<"content"> }, void> {
  for (let at = 0; at < items.length; at += BATCH) {
    const batch = items.slice(at, at + BATCH);
    const texts = await cas.getMany(batch.map(({ contentHash }) => contentHash));
    for (const item of batch) {
      const hash = item.contentHash;
      const text = texts.get(hash) ?? (await readBlob(cas, hash));
      yield { item, node: nodeOf(hash, text, "content") };
    }
  }
}

/** Texts in memory at the same time, at most 256 KiB each. */
const BATCH = 128;

/** Reads a blob's exact text. The blob must exist. */
export async function readBlob(cas: Pick<CasStore, "get">, hash: string): Promise<string> {
  const text = await cas.get(hash);
  if (text !== null) return text;
  throw new WorkflowError(
    failure("CAS_MISSING", `the store has no blob ${hash}`, "run: uncaged-workflow cas fsck"),
  );
}

function nodeOf<T extends CasNode["type"]>(hash: string, text: string, type: T): NodeOf<T> {
  const node = decodeNode(text);
  if (!node.ok) throw new WorkflowError(node.error);
  if (isOfType(node.value, type)) return node.value;
  throw new WorkflowError(
    failure(
      "CHAIN_BROKEN",
      `${hash} is a ${node.value.type} node where a ${type} node belongs`,
      "run: uncaged-workflow cas fsck",
    ),
  );
}

function isOfType<T extends CasNode["type"]>(node: CasNode, type: T): node is NodeOf<T> {
  return node.type === type;
}
