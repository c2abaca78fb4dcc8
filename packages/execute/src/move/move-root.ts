/** Moves a storage root: from its folder to PostgreSQL, back, or to another server.
 *
 *  1. Nobody else changes the root meanwhile: its index is locked, as are its blobs and its host. Only readers go on. The locks end with
 *     this process, however it ends, so an interrupted move leaves the root in use where it was.
 *  2. The destination is marked before anything is stored there. Nobody opens a marked one but a move from the same place.
 *  3. Blobs come first: they cannot change, so another move goes on behind them. Everything else is begun anew each time,
 *     because threads may have run since.
 *  4. Nothing is marked at the source before each value and each byte of the copy was compared, and each head proved.
 *  5. Then, in this order: the source is marked as moved, and cannot be changed any more; the destination loses its mark; the
 *     folder says where its root is. A crash between these leaves a root that nobody can change in two places: the source
 *     refuses, and the folder still leads to it. The same command does what is left.
 *  6. What belongs to the machine stays in its folder: configuration, keys, log-ins, packages, worktrees. */
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  leaseOf,
  ok,
  type Result,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { casLock, indexTables, tryLockFile } from "@uncaged/workflow-store";
import { hasIndex, storagePaths } from "@uncaged/workflow-util";
import { askBucket } from "../place/bucket.ts";
import { serverOf } from "../place/init-root.ts";
import { folderPlace, type MoveMark, movedFailure, readMoveMark } from "../place/move-mark.ts";
import { postgres, urlOf } from "../place/open-parts.ts";
import { placeIn, type RootPlace, replaceRootPlace } from "../place/root-place.ts";
import { runningHost } from "../processes/host-file.ts";
import { runnerState } from "../watch/observe.ts";
import { type BlobCounts, copyBlobs, countBlobs } from "./copy-blobs.ts";
import { copyBundles } from "./copy-bundles.ts";
import { copyLiveLogs } from "./copy-live.ts";
import { copyRegistry } from "./copy-registry.ts";
import { compareTables, copiedTables, copyTables } from "./copy-tables.ts";
import type { Effect } from "./effect.ts";
import { folderDestination, leavingFolder } from "./folder-end.ts";
import type { Destination, MovingSource } from "./moving-end.ts";
import { leavingPostgres, postgresDestination, postgresPlace } from "./postgres-end.ts";
import { proveBlobs } from "./prove-copy.ts";

export type RootToMove = {
  root: string;
  /** A URL, `embedded`, or the path of the root's own folder. */
  to: string;
  /** Which of the roots in that database. */
  name: string;
  /** Of the destination; as `bucketPlace` takes it. */
  s3: string | null;
  /** Counts, and changes nothing; the destination is not asked. */
  dryRun: boolean;
  /** `what`: `blobs`. */
  progress?: (what: string, done: number, total: number) => void;
  effect?: Effect;
};

export type MovedRoot = BlobCounts & {
  from: string;
  to: string;
  threads: number;
  bundles: number;
  /** Rows by table. */
  rows: Readonly<Record<string, number>>;
  /** All was there already but the last word: an earlier call had been interrupted there. */
  resumed: boolean;
};

/** Refused, with nothing changed: `LEASE_HELD` while a thread runs, `HOST_RUNNING`, `TARGET_EXISTS`, `STORAGE_MOVED` when the root
 *  was moved elsewhere, `CAS_MISSING` or `CAS_CORRUPT` when a thread is not whole, `USAGE`. */
export async function moveRoot(move: RootToMove): Promise<Result<MovedRoot, Failure>> {
  try {
    if (!hasIndex(move.root)) return err(noRoot(move.root));
    const root = realpathSync(move.root);
    const from = placeIn(root);
    const to = targetOf({ ...move, root });
    if (!to.ok) return to;
    const words = { from: wordsOf(root, from), to: wordsOf(root, to.value) };
    if (words.from === words.to) return err(isThere(words.to));
    const host = await tryLockFile(storagePaths(root).hostLock);
    if (host === null) return err(hostRuns(root));
    try {
      return ok(
        await casLock(root)(() =>
          move.dryRun
            ? counted({ ...move, root, from, words })
            : moved({ ...move, root, from, target: to.value, words }),
        ),
      );
    } finally {
      host.release();
    }
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

type Move = RootToMove & {
  from: RootPlace | null;
  words: { from: string; to: string };
};

async function moved(move: Move & { target: RootPlace | null }): Promise<MovedRoot> {
  const { root, from, target, words, effect = () => {} } = move;
  const mark = await markOf(root, from);
  if (mark !== null && (mark.state === "arriving" || mark.place !== words.to))
    throw new WorkflowError(movedFailure(root, mark));
  if (target !== null) await askBucket(target);
  const destination =
    target === null ? folderDestination(root) : await postgresDestination(root, target);
  try {
    const { state } = destination;
    // All was proved before the source was marked.
    const isCopied = mark !== null && state.kind !== "new";
    if (!isCopied) {
      if (state.kind === "in use") throw inUse(words.to, state.hint);
      if (state.kind === "unfinished" && state.from !== words.from)
        throw inUse(words.to, otherMove(state.from));
    }
    const source = isCopied ? null : await openSource(root, from);
    try {
      const done = source === null ? null : await copied(move, source, destination);
      if (source !== null) {
        await effect("leave");
        await source.leave(words.to);
      }
      await effect("arrive");
      await destination.arrived();
      await effect("switch");
      await replaceRootPlace(root, target);
      return done ?? { ...NOTHING_COPIED, from: words.from, to: words.to };
    } finally {
      await source?.close();
    }
  } finally {
    await destination.close();
  }
}

const NOTHING_COPIED = { threads: 0, blobs: 0, bytes: 0, bundles: 0, rows: {}, resumed: true };

async function copied(
  { words, effect = () => {}, progress = () => {} }: Move,
  source: MovingSource,
  destination: Destination,
): Promise<MovedRoot> {
  await refuseRunning(source);
  await effect("begin");
  const target = await destination.open(words.from);
  const said = (what: string) => (done: number, total: number) => progress(what, done, total);
  await copyBlobs(source.cas, target.cas, { effect, progress: said("copying blobs") });
  const bundles = await copyBundles(source.bundles, target.bundles, effect);
  const tables = copiedTables(await indexTables());
  await copyTables(source.tables, target.tables, {
    tables,
    effect,
    progress: said("copying tables"),
  });
  await copyRegistry(source.registry, target.registry, effect);
  await effect("copy the history");
  await target.addHistory(await source.history());
  await copyLiveLogs(source, target, {
    tables,
    effect,
    progress: said("copying what agents said"),
  });
  await effect("settle");
  await target.settle();
  const proved = await proveBlobs(source, target, { effect, progress: said("comparing blobs") });
  const rows = await compareTables(source.tables, target.tables, tables);
  return { ...proved, bundles, rows, from: words.from, to: words.to, resumed: false };
}

/** What would be moved. Reads all of it, so that it also tells whether it can be read. */
async function counted({ root, from, words }: Move): Promise<MovedRoot> {
  const mark = await markOf(root, from);
  if (mark !== null) throw new WorkflowError(movedFailure(root, mark));
  const source = await openSource(root, from);
  try {
    await refuseRunning(source);
    const rows: Record<string, number> = {};
    for (const table of copiedTables(await indexTables()))
      rows[table.name] = await source.tables.count(table);
    const blobs = await countBlobs(source.cas);
    const bundles = (await source.bundles.list()).length;
    const threads = rows.threads ?? 0;
    return { ...blobs, ...words, threads, bundles, rows, resumed: false };
  } finally {
    await source.close();
  }
}

function openSource(root: string, from: RootPlace | null): Promise<MovingSource> {
  return from === null ? leavingFolder(root) : leavingPostgres(root, from);
}

/** null: the root is where its folder says. */
async function markOf(root: string, from: RootPlace | null): Promise<MoveMark | null> {
  if (from === null) return readMoveMark(root);
  const { postgresMoveState } = await postgres();
  return postgresMoveState({ url: await urlOf(root, from), root: from.name });
}

/** A thread whose owner is certainly dead, or has not renewed its lease in time, goes on where the root is then. */
async function refuseRunning(source: MovingSource): Promise<void> {
  const nowMs = await source.now();
  const owned = await source.threads.list({ withLease: true });
  const running = owned.filter((thread) => runnerState(leaseOf(thread), nowMs) === "alive");
  const [first] = running;
  if (first === undefined) return;
  const others = running.length > 1 ? `, and ${running.length - 1} more` : "";
  throw new WorkflowError(
    failure(
      "LEASE_HELD",
      `the root was not moved: thread ${first.threadId} is running${others}`,
      "wait for it (uncaged-workflow thread wait <id>), or end it (uncaged-workflow thread stop <id>, or down on each machine); then try again",
    ),
  );
}

/** null: in the root's folder. */
function targetOf({
  root,
  to,
  name,
  s3,
}: Pick<RootToMove, "root" | "to" | "name" | "s3">): Result<RootPlace | null, Failure> {
  if (to === "embedded" || /^postgres(?:ql)?:/u.test(to)) {
    const at = serverOf({ root, postgres: to });
    return at.ok ? ok({ postgres: at.value, name, s3 }) : at;
  }
  const path = resolve(to);
  if (existsSync(path) && realpathSync(path) === root) return ok(null);
  return err(
    failure(
      "USAGE",
      `a root moves to PostgreSQL, or back to the folder of its machine, which is ${root}`,
      "for another folder, make it one of this root first: UNCAGED_WORKFLOW_STORAGE_ROOT=<folder> uncaged-workflow root init --postgres <url>; then move the root from there",
    ),
  );
}

function wordsOf(root: string, place: RootPlace | null): string {
  return place === null ? folderPlace(root) : postgresPlace(place);
}

function noRoot(root: string): Failure {
  return failure(
    "USAGE",
    `${root} has no threads to move`,
    "uncaged-workflow root init --postgres <url>",
  );
}

function isThere(place: string): Failure {
  return failure("USAGE", `the root is there already: ${place}`, "");
}

function hostRuns(root: string): Failure {
  const host = runningHost(root);
  const which = host === null ? "" : `, process ${host.process.pid}`;
  return failure(
    "HOST_RUNNING",
    `the root was not moved: it has a host${which}`,
    "end it (uncaged-workflow down), on each machine; then try again",
  );
}

function inUse(place: string, hint: string): WorkflowError {
  return new WorkflowError(failure("TARGET_EXISTS", `${place} is in use; nothing was moved`, hint));
}

function otherMove(from: string): string {
  return `it has an unfinished move from ${from}: finish that, or choose another name or folder`;
}
