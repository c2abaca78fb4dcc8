/** Garbage collection in two steps, safe while writers run.
 *
 *  A run sets dead blobs aside; a later run, after a grace period, deletes what is still dead. That
 *  nothing live is ever deleted rests on these points, in this order:
 *
 *  1. The blobs are listed before the roots are read. What is written later is not on the list and
 *     is not touched by this run.
 *  2. What is on the list and reachable from the roots stays. If anything reachable is missing or
 *     damaged, the run stops here: a damaged node's refs are unknown, so nobody knows what is dead.
 *  3. What is on the list and unreachable may still be needed: by a writer who put it, or found it
 *     in place, and has not moved its head yet. So it is only set aside, where `get` finds it.
 *  4. An aside folder is as old as the last move into it. Every writer who saw one of its blobs in
 *     place did so before that. If that writer holds its lease still, `protectSinceMs` is not
 *     later than the folder's age, and the folder stays. If it gave the lease up, its head had
 *     moved before the roots of *this* run were read (`protectSinceMs` is read before them), so the
 *     blob is marked and goes back. Writers without a lease have the grace period.
 *  5. A writer who comes later does not find the blob in place and writes it anew.
 *  6. A crash at any point leaves each blob in the store, aside, or both. */
import { failure, isErrorCode, type Problem, WorkflowError } from "@uncaged/workflow-protocol";
import { storageFailed } from "@uncaged/workflow-util";
import { markReachable } from "../reachability.ts";
import { listBlobs, readStored } from "./read-blob.ts";
import { applySweep, planSweep, type SweepFacts, type SweepPlan } from "./sweep.ts";

export type CollectOptions = {
  /** Folder of a files store. */
  dir: string;
  /** Start and head of every thread; called after the blobs have been listed. */
  roots: () => Promise<readonly string[]>;
  /** Unix milliseconds. */
  nowMs: number;
  /** How long dead blobs lie aside at least. */
  graceMs: number;
  /** When the oldest lease that stands was acquired, expired or not, as read before this call,
   *  Unix milliseconds; null when none stands. */
  protectSinceMs: number | null;
  /** Count only; nothing is moved or deleted. */
  dryRun: boolean;
};

export type CollectReport = {
  /** Blobs that threads reach. */
  activeRefs: number;
  /** Dead blobs set aside by this run. */
  deletedEntries: number;
  /** Blobs that earlier runs set aside and that are reachable now; back in the store. */
  restoredEntries: number;
  /** Blobs that earlier runs set aside, deleted for good. */
  purgedEntries: number;
};

/** Throws `CAS_MISSING`, `CAS_CORRUPT` or `CAS_NOT_A_NODE` before anything is touched when a blob
 *  that a thread needs is broken, `STORAGE_FAILED` when the disk fails. */
export async function collectGarbage(opts: CollectOptions): Promise<CollectReport> {
  const listed = listBlobs(opts.dir);
  const roots = await opts.roots();
  const live = await markReachable(roots, async (hash) => readStored(opts.dir, hash));
  if (live.problems[0] !== undefined) throw refusal(live.problems[0], live.problems.length);
  const plan = await sweep({ ...opts, listed, live: live.reachable });
  return {
    activeRefs: live.reachable.size,
    deletedEntries: plan.setAside.hashes.length,
    restoredEntries: plan.restore.length,
    purgedEntries: plan.purge.length,
  };
}

async function sweep(facts: SweepFacts & Pick<CollectOptions, "dryRun">): Promise<SweepPlan> {
  try {
    const plan = planSweep(facts);
    if (!facts.dryRun) await applySweep(facts.dir, plan);
    return plan;
  } catch (cause) {
    // What was done by now is sound, and another run does the rest.
    throw storageFailed(`garbage collection in ${facts.dir} stopped half-way`, cause);
  }
}

function refusal(first: Problem, count: number): WorkflowError {
  const others = count > 1 ? `, and ${count - 1} more` : "";
  return new WorkflowError(
    failure(
      isErrorCode(first.code) ? first.code : "CAS_CORRUPT",
      `garbage collection stopped and touched nothing: ${first.message}${others}`,
      "see all of them: uncaged-workflow cas fsck; then mend or remove the threads that need them",
    ),
  );
}
