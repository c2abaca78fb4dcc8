/** What a garbage collection moves and deletes: planned without effects, then carried out. All calls are synchronous: a
 *  round trip through the thread pool for each of 100,000 files would cost more than the files. */
import { mkdirSync, renameSync, rmdirSync, statSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { asidePath, asideTime, blobPath, isTempFile } from "./files-layout.ts";
import { asideFolders, listBlobs, namesIn } from "./read-blob.ts";
import { type AsideBlob, restoreBlobs } from "./restore-blobs.ts";
import { unlessGone } from "./unless-gone.ts";

export type SweepPlan = {
  /** Dead blobs of the store, and the folder they go to. */
  quarantine: { hashes: readonly string[]; to: string };
  restore: readonly AsideBlob[];
  purge: readonly AsideBlob[];
  /** Quarantine folders to remove once they are empty. */
  emptied: readonly string[];
  /** Paths of temporary files whose writers are long gone. */
  leftovers: readonly string[];
};

/** Unix milliseconds, but for the grace period. */
export type SweepTimes = {
  nowMs: number;
  graceMs: number;
  /** When the oldest lease that stands was acquired; null when none stands. */
  protectSinceMs: number | null;
};

export type SweepFacts = SweepTimes & {
  dir: string;
  /** Blobs that were in the store before the roots were read. */
  listed: readonly string[];
  live: ReadonlySet<string>;
};

/** Reads folders, changes nothing. Throws file system errors. */
export function planSweep(facts: SweepFacts): SweepPlan {
  const { dir, live } = facts;
  const aside = asideFolders(dir).map((from) => ({ from, ripe: isRipe(from, facts) }));
  const blobs = aside.flatMap(({ from, ripe }) =>
    listBlobs(from).map((hash) => ({ hash, from, ripe })),
  );
  return {
    quarantine: {
      hashes: facts.listed.filter((hash) => !live.has(hash)),
      to: asidePath(dir, facts.nowMs),
    },
    restore: blobs.filter(({ hash }) => live.has(hash)),
    purge: blobs.filter(({ hash, ripe }) => ripe && !live.has(hash)),
    emptied: aside.flatMap(({ from, ripe }) => (ripe ? from : [])),
    leftovers: namesIn(dir)
      .filter(isTempFile)
      .map((name) => join(dir, name))
      .filter((path) => changedAt(path) <= facts.nowMs - Math.max(facts.graceMs, LEFTOVER_MS)),
  };
}

/** Writing a blob takes milliseconds; a file this old has lost its writer. */
const LEFTOVER_MS = 10 * 60 * 1000;

/** Kernels stamp folders with a clock that may lag, on some file systems by up to two seconds. */
const CLOCK_SLACK_MS = 2000;

/** Blobs quarantined at this time or before may be deleted: the grace period is over, and no writer that could have
 *  seen them in place still holds its lease. Unix milliseconds. */
export function ripeUntil({ nowMs, graceMs, protectSinceMs }: SweepTimes): number {
  const beforeLeases = (protectSinceMs ?? Number.POSITIVE_INFINITY) - CLOCK_SLACK_MS - 1;
  return Math.min(nowMs - graceMs, beforeLeases);
}

function isRipe(aside: string, facts: SweepFacts): boolean {
  // A run may take long: the last move counts, not the start of the run.
  return Math.max(asideTime(basename(aside)) ?? 0, changedAt(aside)) <= ripeUntil(facts);
}

/** Throws file system errors. */
export async function applySweep(dir: string, plan: SweepPlan): Promise<void> {
  // First what threads need, so that nothing below can get in the way.
  await restoreBlobs(dir, plan.restore);
  quarantineFiles(dir, plan.quarantine);
  purgeFiles(plan.purge);
  for (const folder of plan.emptied) unlessGone(() => rmdirSync(folder));
  for (const path of plan.leftovers) unlessGone(() => unlinkSync(path));
}

/** Moves files into a quarantine folder of their own. Throws file system errors. */
export function quarantineFiles(
  dir: string,
  { hashes, to }: { hashes: readonly string[]; to: string },
): void {
  if (hashes.length === 0) return;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const hash of hashes) unlessGone(() => renameSync(blobPath(dir, hash), blobPath(to, hash)));
}

/** Deletes files in quarantine. Throws file system errors. */
export function purgeFiles(blobs: readonly AsideBlob[]): void {
  for (const { hash, from } of blobs) unlessGone(() => unlinkSync(blobPath(from, hash)));
}

/** Unix milliseconds; infinite for a file that is gone, so it never counts as old. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
}
