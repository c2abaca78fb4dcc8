/** Writes a whole storage root into one file, while its threads run. Every head in it has its blobs, in this order:
 *
 *  1. The lock of the blobs is held from before the index is copied until the last blob is read: a garbage collection
 *     would delete what only threads of the copy need, such as threads that somebody removes meanwhile.
 *  2. The index is copied as of one moment, with the blobs that are its rows. Whatever it names was durable before: the
 *     bundles, the version in `workflow.yaml`, and every blob, as a row of the copy or as a file. Steps that are
 *     published later add files and remove none.
 *  3. So what the copy's heads reach is read after that: from the copy, or else from the storage root, wherever it has
 *     moved by then. Each blob is checked against its name, and a missing one is a failure.
 *  4. A backup that is killed leaves `.backup` in the root, which the next one replaces, and an unfinished file under
 *     another name than the backup's. */
import { constants } from "node:buffer";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { markReachable, sha256Hex } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  isErrorCode,
  ok,
  type Problem,
  type Result,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { casLock, snapshotIndex } from "@uncaged/workflow-store";
import { isShared, makeFolderSync, storagePaths } from "@uncaged/workflow-util";
import { type AddEntry, type WrittenFile, writeTar } from "../archive/tar-writer.ts";
import type { Engine } from "../storage/engine.ts";
import { openStorage, type Storage } from "../storage/open-storage.ts";
import {
  ABOUT_ENTRY,
  aboutText,
  BUNDLE_FILES,
  PIECE_BYTES,
  pieceEntry,
  ROOT_FILES,
  SECRET_FILES,
  SUMS_ENTRY,
  TARBALL,
  TARBALLS,
} from "./backup-layout.ts";
import {
  bundlesIn,
  copiedHistory,
  type HistoryLengths,
  historyFiles,
  historyLengths,
  namesIn,
} from "./copied-history.ts";
import { readIfThere } from "./read-if-there.ts";

export type BackedUp = WrittenFile & {
  /** Absolute path. */
  file: string;
  threads: number;
  /** Blobs that the threads reach. */
  blobs: number;
  bundles: number;
};

/** `secrets`: includes `.env` and the signing key. Refused: `TARGET_EXISTS`, and a root in which a blob that a thread needs
 *  is missing or damaged. */
export async function backUp(
  engine: Pick<Engine, "root" | "cas" | "now">,
  opts: { file: string; secrets: "with" | "without" },
): Promise<Result<BackedUp, Failure>> {
  const { file, secrets } = opts;
  if (isShared(engine.root)) return err(elsewhere(engine.root));
  return casLock(engine.root)(async () => {
    const folder = storagePaths(engine.root).snapshot;
    try {
      const before = await historyLengths(engine.root);
      await copyIndex(engine.root, folder);
      const counts = { threads: 0, blobs: 0, bundles: 0 };
      const written = await writeTar(file, async (add) => {
        const source = { engine, folder, before, add: summing(add), secrets };
        Object.assign(counts, await addAll(source));
        await add(SUMS_ENTRY, Buffer.from(source.add.sums.join("")));
      });
      return written.ok ? ok({ file, ...written.value, ...counts }) : written;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

function elsewhere(root: string): Failure {
  return failure(
    "USAGE",
    `${root} is in PostgreSQL, which a backup of its folder does not have`,
    "back up the database (pg_dump, or your provider's) and the bucket; keep workflow.yaml and .env besides",
  );
}

async function copyIndex(root: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  makeFolderSync(folder);
  await snapshotIndex(root, storagePaths(folder).index);
}

type Summing = ((name: string, content: Buffer) => Promise<void>) & { sums: string[] };

function summing(add: AddEntry): Summing {
  const sums: string[] = [];
  const summed = async (name: string, content: Buffer): Promise<void> => {
    sums.push(`${sha256Hex(content)}  ${name}\n`);
    await add(name, content);
  };
  return Object.assign(summed, { sums });
}

type Source = {
  engine: Pick<Engine, "root" | "cas" | "now">;
  /** Where the copy of the index is. */
  folder: string;
  before: HistoryLengths;
  add: Summing;
  secrets: "with" | "without";
};

async function addAll(source: Source): Promise<Omit<BackedUp, "file" | keyof WrittenFile>> {
  const { engine, folder, add } = source;
  await add(ABOUT_ENTRY, Buffer.from(aboutText({ createdAt: engine.now() })));
  await addRootFiles(source);
  const copy = await openStorage(folder);
  let counts: { threads: number; blobs: number; bundles: number };
  try {
    const roots = await copy.threads.roots();
    const bundles = await addBundles(source, new Set(roots.map(({ threadId }) => threadId)));
    const blobs = await addBlobs(source, copy, roots);
    counts = { threads: roots.length, blobs, bundles };
  } finally {
    await copy.cas.close();
    await copy.threads.close();
  }
  await addIndex(source);
  return counts;
}

async function addRootFiles({ engine, add, secrets }: Source): Promise<void> {
  const tarballs = (await namesIn(join(engine.root, TARBALLS))).filter((name) =>
    TARBALL.test(name),
  );
  const paths = [
    ...ROOT_FILES,
    ...(secrets === "with" ? SECRET_FILES : []),
    ...tarballs.map((name) => `${TARBALLS}/${name}`),
  ];
  for (const path of paths) await addIfThere(engine.root, path, add);
}

async function addBundles(
  { engine: { root }, before, add }: Source,
  threads: ReadonlySet<string>,
): Promise<number> {
  const bundles = await bundlesIn(root);
  for (const hash of bundles) {
    for (const name of BUNDLE_FILES) await addIfThere(root, `bundles/${hash}/${name}`, add);
    for (const path of await historyFiles(root, hash))
      await add(path, await copiedHistory(root, path, { before, knows: (id) => threads.has(id) }));
  }
  return bundles.length;
}

async function addIfThere(root: string, path: string, add: Summing): Promise<void> {
  const content = await readIfThere(join(root, path), constants.MAX_STRING_LENGTH);
  if (content !== null) await add(path, content);
}

/** Returns how many blobs the threads reach, wherever they are. */
async function addBlobs(
  { engine, add }: Source,
  copy: Storage,
  threads: readonly { startHash: string; head: string }[],
): Promise<number> {
  const roots = threads.flatMap(({ startHash, head }) => [startHash, head]);
  const { reachable, problems } = await markReachable(roots, async (hash) => {
    const row = await copy.cas.get(hash);
    if (row !== null) return row;
    const text = await engine.cas.get(hash);
    if (text !== null) await add(`cas/${hash}.txt`, Buffer.from(text));
    return text;
  });
  if (problems[0] !== undefined) throw refusal(problems[0], problems.length);
  return reachable.size;
}

async function addIndex({ folder, add }: Source): Promise<void> {
  const file = await open(storagePaths(folder).index, "r");
  try {
    const { size } = await file.stat();
    for (let at = 0, n = 0; at < size; at += PIECE_BYTES, n += 1)
      await add(pieceEntry(n), await pieceAt(file, at, Math.min(PIECE_BYTES, size - at)));
  } finally {
    await file.close();
  }
}

async function pieceAt(file: FileHandle, at: number, size: number): Promise<Buffer> {
  const piece = Buffer.alloc(size);
  for (let done = 0; done < size; ) {
    const { bytesRead } = await file.read(piece, done, size - done, at + done);
    if (bytesRead === 0) throw new Error("the copy of the index shrank while it was read");
    done += bytesRead;
  }
  return piece;
}

function refusal(first: Problem, count: number): WorkflowError {
  const others = count > 1 ? `, and ${count - 1} more` : "";
  return new WorkflowError(
    failure(
      isErrorCode(first.code) ? first.code : "CAS_CORRUPT",
      `nothing was backed up: ${first.message}${others}`,
      "see all of them: uncaged-workflow cas fsck; then repair or remove the threads that need them",
    ),
  );
}
