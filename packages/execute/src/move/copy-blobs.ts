import { refsOf, sha256Hex } from "@uncaged/workflow-cas";
import { failure, failureFrom, type RootStore, WorkflowError } from "@uncaged/workflow-protocol";
import type { Effect } from "./effect.ts";

/** Blobs that are in memory at once. */
const BATCH = 32;

type Blobs = Pick<RootStore, "get" | "getMany" | "list" | "putBatch">;
export type BlobCounts = { blobs: number; bytes: number };

/** Copies the blobs that are not there yet: no other bytes can have their names, so an interrupted copy goes on where it was.
 *  A damaged one is left out; whether a thread needs it, is seen when the copy is checked. */
export async function copyBlobs(
  from: Pick<Blobs, "get" | "getMany" | "list">,
  to: Blobs,
  { effect, progress }: { effect: Effect; progress: (done: number, total: number) => void },
): Promise<void> {
  const there = new Set(await to.list());
  const hashes = (await from.list()).filter((hash) => !there.has(hash));
  for (let at = 0; at < hashes.length; at += BATCH) {
    const texts = await textsOf(from, hashes.slice(at, at + BATCH));
    await effect("store blobs");
    await to.putBatch(
      [...texts].map(([hash, text]) => ({ hash, text, sha256: sha256Hex(Buffer.from(text)) })),
    );
    progress(Math.min(at + BATCH, hashes.length), hashes.length);
  }
}

/** Reads all of both, and compares every byte. Returns what refers to a blob that is not there: few, if any. Throws
 *  `STORAGE_FAILED` when they differ. */
export async function compareBlobs(
  from: Pick<Blobs, "get" | "getMany" | "list">,
  to: Pick<Blobs, "get" | "getMany" | "list">,
  progress: (done: number, total: number) => void,
): Promise<BlobCounts & { known: ReadonlySet<string>; isClosed: boolean }> {
  const hashes = await from.list();
  const known = new Set(await to.list());
  let bytes = 0;
  let isClosed = true;
  for (let at = 0; at < hashes.length; at += BATCH) {
    const part = hashes.slice(at, at + BATCH);
    const [here, there] = await Promise.all([textsOf(from, part), textsOf(to, part)]);
    for (const [hash, text] of here) {
      if (there.get(hash) !== text) throw differs(`blob ${hash}`);
      bytes += Buffer.byteLength(text);
      const refs = refsOf(text);
      isClosed &&= refs.ok && refs.value.every((ref) => known.has(ref));
    }
    progress(Math.min(at + BATCH, hashes.length), hashes.length);
  }
  return { blobs: known.size, bytes, known, isClosed };
}

/** What would be copied. */
export async function countBlobs(
  from: Pick<Blobs, "get" | "getMany" | "list">,
): Promise<BlobCounts> {
  const hashes = await from.list();
  let bytes = 0;
  for (let at = 0; at < hashes.length; at += BATCH)
    for (const text of (await textsOf(from, hashes.slice(at, at + BATCH))).values())
      bytes += Buffer.byteLength(text);
  return { blobs: hashes.length, bytes };
}

/** Texts of those that are there and valid. */
async function textsOf(
  cas: Pick<Blobs, "get" | "getMany">,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map(await cas.getMany(hashes));
  for (const hash of hashes) {
    if (texts.has(hash)) continue;
    const text = await soundText(cas, hash);
    if (text !== null) texts.set(hash, text);
  }
  return texts;
}

async function soundText(cas: Pick<Blobs, "get">, hash: string): Promise<string | null> {
  try {
    return await cas.get(hash);
  } catch (thrown) {
    if (failureFrom(thrown, "INTERNAL").code === "CAS_CORRUPT") return null;
    throw thrown;
  }
}

export function differs(what: string): WorkflowError {
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `the copy of ${what} is not as the original; the root is where it was`,
      "repeat the move; if it happens again, the destination loses or changes what it is given",
    ),
  );
}
