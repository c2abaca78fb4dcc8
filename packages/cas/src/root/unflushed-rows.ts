import { type BlobTable, failureFrom, type StateNode } from "@uncaged/workflow-protocol";
import { decodeNode } from "../node/codec.ts";
import { readRow } from "../rows/rows.ts";

/** More than a process leaves unwritten. */
const MOST_BLOBS = 4096;

/** The newest steps of a thread as far as they are rows, oldest first: in a root of files, what its last owner had not
 *  written out when it was killed. Followed from the head back to the first blob that is not a row, or is damaged;
 *  damage is reported when that blob itself is read. Throws `STORAGE_FAILED`. */
export async function unflushedRows(table: BlobTable, head: string): Promise<string[]> {
  const found: string[] = [];
  let hash: string | undefined = head;
  while (hash !== undefined && found.length < MOST_BLOBS) {
    const node = await stateIn(table, hash);
    if (node === null) break;
    found.push(hash, node.payload.content);
    hash = node.payload.ancestors[0];
  }
  return found.reverse();
}

async function stateIn(table: BlobTable, hash: string): Promise<StateNode | null> {
  try {
    const row = await readRow(table, hash);
    const node = row === null ? null : decodeNode(row.text);
    return node?.ok && node.value.type === "state" ? node.value : null;
  } catch (thrown) {
    if (failureFrom(thrown, "INTERNAL").code === "CAS_CORRUPT") return null;
    throw thrown;
  }
}
