import {
  type CasNode,
  type CheckReport,
  type Problem,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { ASIDE, hashOfFile, isTempFile } from "../files/files-layout.ts";
import { namesIn, readBlob } from "../files/read-blob.ts";
import { decodeNode, encodeNode } from "../node/codec.ts";
import { markReachable } from "../node/reachability.ts";
import { readRow } from "../rows/rows.ts";
import type { BlobPlaces } from "./blob-places.ts";
import { readAnywhere } from "./read-anywhere.ts";

/** Checks a whole store: every blob is re-hashed and decoded, everything that the roots reach must exist, and there may
 *  be no foreign file among the blobs. Changes nothing. `roots`: start and head of every thread. Throws
 *  `STORAGE_FAILED` when the store cannot be read. */
export async function checkBlobs(
  { dir, table }: BlobPlaces,
  roots: readonly string[],
): Promise<CheckReport> {
  const problems = new Map<string, Problem>();
  // One per blob: of two problems, the later one says who needs the blob.
  const note: Note = (problem) => problems.set(problem.hash || problem.message, problem);
  // Rows first: in a root of files they become files meanwhile.
  const rows = await table.list();
  const names = namesIn(dir);
  const files = names.flatMap((name) => hashOfFile(name) ?? []);
  for (const hash of files) await noteBlob(hash, async () => readBlob(dir, hash), note);
  for (const name of names) if (hashOfFile(name) === null) noteStranger(name, note);
  for (const hash of rows)
    await noteBlob(hash, async () => (await readRow(table, hash))?.text ?? null, note);
  const walk = await markReachable(roots, readAnywhere({ dir, table }));
  walk.problems.forEach(note);
  const checked = new Set([...files, ...rows]).size;
  return { ok: problems.size === 0, checked, problems: [...problems.values()] };
}

type Note = (problem: Problem) => unknown;

async function noteBlob(
  hash: string,
  read: () => Promise<string | null>,
  note: Note,
): Promise<void> {
  try {
    const text = await read();
    if (text === null) return; // deleted, moved or quarantined since the blobs were listed
    const node = decodeNode(text);
    if (!node.ok) note({ ...node.error, hash, message: `blob ${hash} is ${node.error.message}` });
    else if (!isCanonical(node.value, text)) note(notCanonical(hash));
  } catch (cause) {
    if (!(cause instanceof WorkflowError)) throw cause;
    note({ code: cause.failure.code, hash, message: cause.failure.message });
  }
}

function noteStranger(name: string, note: Note): void {
  // Temporary files and quarantined blobs belong to the store, and garbage collection takes care of them.
  if (name === ASIDE || isTempFile(name)) return;
  note({ code: "CAS_STRANGE_FILE", hash: "", message: `${name} is not a blob; move it elsewhere` });
}

/** One node has one text; a different text for it was not written by this store. */
function isCanonical(node: CasNode, text: string): boolean {
  try {
    return encodeNode(node).text === text;
  } catch (cause) {
    if (cause instanceof TypeError) return false;
    throw cause;
  }
}

function notCanonical(hash: string): Problem {
  const message = `blob ${hash} is not in the canonical form that this store writes`;
  return { code: "CAS_NOT_A_NODE", hash, message };
}
