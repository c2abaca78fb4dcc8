import { existsSync, readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { storagePaths } from "@uncaged/workflow-util";
import { openDatabase } from "../database/open-database.ts";
import { isBusy } from "../database/sqlite-failure.ts";

/** A lock that was not released while we waited. */
export type HeldLock = {
  /** Who holds it; null where the system does not tell. */
  pid: number | null;
};

const PAUSE_MS = 50;

/** Waits until the write lock of a root's index is available, and releases it immediately. null: it was available, or
 *  this user may not write there in any case. Throws what opening the index throws. */
export async function heldWriteLock(root: string, withinMs: number): Promise<HeldLock | null> {
  const { index } = storagePaths(root);
  if (!existsSync(index)) return null;
  const db = await openDatabase(index, { prepare: () => {}, look: () => {}, mustExist: true });
  const until = performance.now() + withinMs;
  try {
    while (true) {
      try {
        db.exec("BEGIN IMMEDIATE; ROLLBACK");
        return null;
      } catch (cause) {
        if (!isBusy(cause)) return null;
        if (performance.now() >= until) return { pid: holderOf(index) };
      }
      await sleep(PAUSE_MS);
    }
  } finally {
    db.close();
  }
}

/** SQLite's write lock: one byte of the file that its processes share (https://sqlite.org/walformat.html). */
const WRITE_LOCK_BYTE = 120;

/** Only Linux reports who holds a lock on a file (proc(5), `/proc/locks`). */
function holderOf(index: string): number | null {
  try {
    const { ino } = statSync(`${index}-shm`);
    return parseHolder(readFileSync("/proc/locks", "utf8"), { ino, byte: WRITE_LOCK_BYTE });
  } catch {
    return null;
  }
}

/** `7: POSIX ADVISORY WRITE <pid> <device>:<inode> <first byte> <last byte or EOF>`; a waiting one has `->` after the
 *  number. null for a lock without a process, or with one outside of our pid namespace. */
export function parseHolder(
  locks: string,
  { ino, byte }: { ino: number; byte: number },
): number | null {
  for (const line of locks.split("\n")) {
    const [, , , mode, holder, file, from, to] = line.trim().split(/\s+/);
    if (line.includes("->") || file === undefined) continue;
    if (mode !== "WRITE" || !file.endsWith(`:${ino}`)) continue;
    if (Number(from) > byte || (to !== "EOF" && Number(to) < byte)) continue;
    return Number(holder) > 0 ? Number(holder) : null;
  }
  return null;
}
