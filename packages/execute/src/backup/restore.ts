/** Restores a storage root from a backup.
 *
 *  1. The root must be empty. Everything goes to `<root>.restoring` first, is flushed and checked there, and then takes
 *     the root's place in one rename: a crash before that leaves an empty root and a folder that the next restore
 *     replaces, a crash after it a whole root.
 *  2. No name in the file becomes a path unless a storage root has such a file.
 *  3. These are checked, in this order: the form of every entry and its checksum; every page and row of the index; every
 *     blob by its name; and that every thread has all blobs that it reaches.
 *  4. Schedules and triggers are paused before the root is in its place: the root that was backed up may still be in use,
 *     and each due time would start a thread in both. */
import { constants } from "node:buffer";
import { existsSync, readdirSync, realpathSync, rmdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashBytes, sha256Hex } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import {
  checkThreadIndex,
  openSchedules,
  openTriggers,
  tryLockFile,
} from "@uncaged/workflow-store";
import { isErrno, makeFolderSync, storageFailed, syncFolder } from "@uncaged/workflow-util";
import { openTar, type TarFile } from "../archive/tar-reader.ts";
import { openStorage } from "../storage/open-storage.ts";
import {
  ABOUT_ENTRY,
  hashOfEntry,
  invalidBackup,
  isRootPath,
  parseAbout,
  pieceEntry,
  SUMS_ENTRY,
} from "./backup-layout.ts";
import { stagedRoot } from "./staged-root.ts";

export type Restored = {
  /** Absolute path of the storage root. */
  root: string;
  /** When the backup was made, Unix milliseconds. */
  createdAt: number;
  threads: number;
  blobs: number;
  /** Names of those that were active in the backup, and are paused now. */
  paused: { schedules: string[]; triggers: string[] };
};

/** Refused, with nothing changed: `FILE_NOT_FOUND`, `BACKUP_INVALID`, `TARGET_EXISTS` for a root that is not empty, and
 *  `STORAGE_NEWER` for a backup of a later version. */
export async function restoreBackup(opts: {
  file: string;
  root: string;
  nowMs: number;
}): Promise<Result<Restored, Failure>> {
  const root = existsSync(opts.root) ? realpathSync(opts.root) : opts.root;
  const taken = namesIn(root);
  if (taken.length > 0) return err(notEmpty(root, taken));
  const tar = await openTar(opts.file, invalidBackup);
  if (!tar.ok) return tar;
  const staging = `${root}.restoring`;
  try {
    const lock = await tryLockFile(join(staging, "restore.lock"));
    if (lock === null) throw busy(root);
    try {
      return await restoreInto(tar.value, {
        staged: join(staging, "root"),
        root,
        nowMs: opts.nowMs,
      });
    } finally {
      lock.release();
      await rm(staging, { recursive: true, force: true });
    }
  } finally {
    await tar.value.close();
  }
}

async function restoreInto(
  tar: TarFile,
  { staged, root, nowMs }: { staged: string; root: string; nowMs: number },
): Promise<Result<Restored, Failure>> {
  // What a killed restore left.
  await rm(staged, { recursive: true, force: true });
  makeFolderSync(staged);
  const about = await unpack(tar, staged);
  if (!about.ok) return about;
  const counts = await checkedCounts(tar, staged);
  if (!counts.ok) return counts;
  const paused = await pauseStarters(staged, nowMs);
  await takePlace(staged, root);
  return ok({ root, ...about.value, ...counts.value, paused });
}

type Unpacked = Pick<Restored, "createdAt">;

async function unpack(tar: TarFile, staged: string): Promise<Result<Unpacked, Failure>> {
  const invalid = (problem: string) => err(invalidBackup(tar.path, problem));
  const target = stagedRoot(staged);
  const seen = new Set<string>();
  let sums = "";
  let about: Unpacked | null = null;
  let pieces = 0;
  try {
    for await (const entry of tar.entries(() => constants.MAX_STRING_LENGTH)) {
      if (!entry.ok) return entry;
      const { name, content } = entry.value;
      if (seen.has(name) || seen.has(SUMS_ENTRY)) return invalid(`${name} is one too many`);
      seen.add(name);
      if (about === null) {
        about = name === ABOUT_ENTRY ? parseAbout(content.toString("utf8")) : null;
        if (about === null) return invalid(`it begins with ${name}, ${OTHER_FILE}`);
      } else if (name === SUMS_ENTRY) {
        if (!content.equals(Buffer.from(sums))) return invalid("its checksums do not match");
        continue;
      } else if (name === pieceEntry(pieces)) {
        await target.addPiece(content);
        pieces += 1;
      } else if (hashOfEntry(name) !== null) {
        if (hashOfEntry(name) !== hashBytes(content))
          return invalid(`${name} does not have the hash it is named by`);
        await target.addBlob(hashBytes(content), content);
      } else if (isRootPath(name)) await target.addFile(name, content);
      else return invalid(`${JSON.stringify(name)} does not belong in a backup`);
      sums += `${sha256Hex(content)}  ${name}\n`;
    }
    if (about === null || pieces === 0 || !seen.has(SUMS_ENTRY))
      return invalid("it has no index or no checksums");
    await target.flush();
    return ok(about);
  } finally {
    await target.close();
  }
}

const OTHER_FILE = "as no backup of this version does; an export is read by: thread import";

/** Opens the root where it was unpacked: an index of an earlier version becomes one of this version. */
async function checkedCounts(
  tar: TarFile,
  staged: string,
): Promise<Result<Pick<Restored, "threads" | "blobs">, Failure>> {
  const [damage] = await checkThreadIndex(staged);
  if (damage !== undefined) return err(asBackup(tar.path, damage));
  try {
    const { cas, threads } = await openStorage(staged);
    try {
      const roots = await threads.roots();
      const heads = roots.flatMap(({ startHash, head }) => [startHash, head]);
      const { checked, problems } = await cas.check(heads);
      const [problem] = problems;
      if (problem !== undefined) return err(invalidBackup(tar.path, problem.message));
      return ok({ threads: roots.length, blobs: checked });
    } finally {
      await cas.close();
      await threads.close();
    }
  } catch (thrown) {
    return err(asBackup(tar.path, failureFrom(thrown, "STORAGE_FAILED")));
  }
}

async function pauseStarters(staged: string, nowMs: number): Promise<Restored["paused"]> {
  const paused: Restored["paused"] = { schedules: [], triggers: [] };
  for (const [kind, open] of [
    ["schedules", openSchedules],
    ["triggers", openTriggers],
  ] as const) {
    const starters = await open(staged);
    try {
      for (const { name } of await starters.list())
        if (await starters.pause({ name, nowMs })) paused[kind].push(name);
    } finally {
      await starters.close();
    }
  }
  return paused;
}

/** Damage in the unpacked root is reported as damage of the file; a later version may be able to read it. */
function asBackup(path: string, found: Failure): Failure {
  return found.code === "STORAGE_NEWER" ? found : invalidBackup(path, found.message);
}

async function takePlace(staged: string, root: string): Promise<void> {
  try {
    // Not every system renames onto an existing folder, not even onto an empty one.
    if (existsSync(root)) rmdirSync(root);
    await rename(staged, root);
    await syncFolder(dirname(root));
  } catch (cause) {
    if (!isErrno(cause, "EBUSY", "EXDEV", "ENOTEMPTY", "EEXIST"))
      throw storageFailed(`cannot make ${root}`, cause);
    throw new WorkflowError(
      failure(
        "STORAGE_FAILED",
        `${root} cannot be replaced by what was restored`,
        "choose a storage root that does not exist yet, such as a folder in this one (WORKFLOW_STORAGE_ROOT)",
      ),
    );
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return [];
    throw storageFailed(`cannot list ${folder}`, cause);
  }
}

function notEmpty(root: string, names: readonly string[]): Failure {
  const some = `${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`;
  return failure(
    "TARGET_EXISTS",
    `the storage root ${root} is not empty: it has ${some}; nothing was restored`,
    "move it away, or restore into another one, which WORKFLOW_STORAGE_ROOT names",
  );
}

function busy(root: string): WorkflowError {
  const hint = "wait for it, or end it, then try again";
  return new WorkflowError(failure("STORAGE_FAILED", `another process is restoring ${root}`, hint));
}
