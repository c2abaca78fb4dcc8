/** Files that are either complete or absent, whatever happens while they are written.
 *
 *  1. The bytes go to a temporary file in the target's folder, opened with `O_EXCL`, so nobody else uses it.
 *  2. All bytes are written, counted and flushed before the target's name points at them, so a full disk or a power
 *     cut never publishes a short file.
 *  3. The folder is flushed last: once the call returns, the file survives a power cut.
 *  4. After an error the temporary file is gone and the target is as it was, unless the folder's flush failed: then
 *     the new file is in place, but may not survive. */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { randomTag } from "./crockford.ts";
import { syncFolder, syncFolderSync } from "./folder.ts";
import { isErrno, storageFailed } from "./storage-failed.ts";

export type AtomicWrite = {
  /** Its folder must exist. A symbolic link is followed, so that a linked file stays linked. */
  path: string;
  data: string | Uint8Array;
  /** Permission bits of the new file, such as 0o600; the umask applies. */
  mode: number;
  /** When the file already exists; `keep` never overwrites, even in a race. */
  existing: "replace" | "keep";
};

/** `kept`: the file already existed and is unchanged. */
export type AtomicOutcome = "written" | "kept";

/** Writes a file completely and durably. Throws `STORAGE_FAILED`. */
export async function writeFileAtomic(write: AtomicWrite): Promise<AtomicOutcome> {
  const { folder, target, temp } = places(write.path);
  try {
    await fill(await open(temp, "wx", write.mode), Buffer.from(write.data));
    const outcome = publish(temp, target, write.existing);
    await rm(temp, { force: true });
    await syncFolder(folder);
    return outcome;
  } catch (cause) {
    await rm(temp, { force: true }).catch(() => {});
    throw storageFailed(`cannot write ${write.path}`, cause);
  }
}

/** The same for a section that must not yield, such as one that holds a lock. */
export function writeFileAtomicSync(write: AtomicWrite): AtomicOutcome {
  const { folder, target, temp } = places(write.path);
  try {
    fillSync(openSync(temp, "wx", write.mode), Buffer.from(write.data));
    const outcome = publish(temp, target, write.existing);
    rmSync(temp, { force: true });
    syncFolderSync(folder);
    return outcome;
  } catch (cause) {
    rmQuietlySync(temp);
    throw storageFailed(`cannot write ${write.path}`, cause);
  }
}

/** Links a file under a name that must not exist; returns false when it does. `from` may remain as a second name.
 *  Some file systems have no hard links: there it checks before it renames, and a file that another process creates
 *  in between is replaced. */
export function linkExclusive(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (cause) {
    if (isErrno(cause, "EEXIST")) return false;
    if (!isErrno(cause, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK")) throw cause;
    if (existsSync(to)) return false;
    renameSync(from, to);
    return true;
  }
}

function places(path: string): { folder: string; target: string; temp: string } {
  const target = followed(path);
  const folder = dirname(target);
  return { folder, target, temp: join(folder, `.${basename(target)}.${randomTag(8)}.tmp`) };
}

function followed(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return path;
    throw storageFailed(`cannot resolve ${path}`, cause);
  }
}

async function fill(file: FileHandle, bytes: Buffer): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
    checkSize((await file.stat()).size, bytes.length);
    await file.sync();
  } finally {
    await file.close();
  }
}

function fillSync(fd: number, bytes: Buffer): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    checkSize(fstatSync(fd).size, bytes.length);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function publish(temp: string, target: string, existing: AtomicWrite["existing"]): AtomicOutcome {
  if (existing === "keep") return linkExclusive(temp, target) ? "written" : "kept";
  renameSync(temp, target);
  return "written";
}

function checkSize(actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`${actual} of ${expected} bytes were written`);
}

function rmQuietlySync(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The first error is the one to report.
  }
}
