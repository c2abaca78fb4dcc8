import {
  type CasNode,
  type CheckReport,
  type Problem,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { decodeNode, encodeNode } from "../node/codec.ts";
import { markReachable } from "../reachability.ts";
import { ASIDE, hashOfFile, isTempFile } from "./files-layout.ts";
import { namesIn, readBlob, readStored } from "./read-blob.ts";

/** Checks a files store whole: every blob is hashed again and decoded, everything that the roots
 *  reach must be there, and no foreign file may lie among the blobs. Changes nothing.
 *  `roots`: start and head of every thread. Throws `STORAGE_FAILED` when the folder cannot be read. */
export async function checkBlobs(opts: {
  dir: string;
  roots: readonly string[];
}): Promise<CheckReport> {
  const problems = new Map<string, Problem>();
  // One for each blob: of two, the later says who needs it.
  const note: Note = (problem) => problems.set(problem.hash || problem.message, problem);
  const names = namesIn(opts.dir);
  const hashes = names.flatMap((name) => hashOfFile(name) ?? []);
  for (const hash of hashes) noteBlob(opts.dir, hash, note);
  for (const name of names) if (hashOfFile(name) === null) noteStranger(name, note);
  const walk = await markReachable(opts.roots, async (hash) => readStored(opts.dir, hash));
  walk.problems.forEach(note);
  return { ok: problems.size === 0, checked: hashes.length, problems: [...problems.values()] };
}

type Note = (problem: Problem) => unknown;

function noteBlob(dir: string, hash: string, note: Note): void {
  try {
    const text = readBlob(dir, hash);
    if (text === null) return; // deleted or set aside since the folder was listed
    const node = decodeNode(text);
    if (!node.ok) note({ ...node.error, hash, message: `blob ${hash} is ${node.error.message}` });
    else if (!isCanonical(node.value, text)) note(notCanonical(hash));
  } catch (cause) {
    if (!(cause instanceof WorkflowError)) throw cause;
    note({ code: cause.failure.code, hash, message: cause.failure.message });
  }
}

function noteStranger(name: string, note: Note): void {
  // Temporary files and set-aside blobs are the store's own, and garbage collection sees to them.
  if (name === ASIDE || isTempFile(name)) return;
  note({ code: "CAS_STRANGE_FILE", hash: "", message: `${name} is no blob; move it elsewhere` });
}

/** One node has one text; another text for it was not written by this store. */
function isCanonical(node: CasNode, text: string): boolean {
  try {
    return encodeNode(node).text === text;
  } catch (cause) {
    if (cause instanceof TypeError) return false;
    throw cause;
  }
}

function notCanonical(hash: string): Problem {
  const message = `blob ${hash} is not written in the one form that this store writes`;
  return { code: "CAS_NOT_A_NODE", hash, message };
}
