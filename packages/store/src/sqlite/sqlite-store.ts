import type { Schedules, TaskStore, ThreadStore, Triggers } from "@uncaged/workflow-protocol";
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import { readHistory } from "../history/history.ts";
import type { Perform } from "../operations/operation.ts";
import { type Index, rootIndex } from "../operations/root-index.ts";
import { answering, carryOut } from "./carry-out.ts";
import { commitQueue } from "./commit-queue.ts";
import { type LostIndex, openThreadIndex, type ThreadIndex } from "./thread-index.ts";

/** Opens the index of a storage root, creating it if the root is new. Throws `STORAGE_FAILED`, `STORAGE_DAMAGED` when
 *  the root has lost its index, or `STORAGE_NEWER` when a later version of this program wrote it. */
export async function openIndex(root: string, lost: LostIndex = "refused"): Promise<Index> {
  const index = await openThreadIndex(root, lost);
  const queue = commitQueue(index);
  return rootIndex({
    perform: performing(index),
    commit: ({ what, operation }) => queue(what, () => answering(index, operation())),
    history: () => readHistory(root),
    shrink: () => retryWhileBusy(() => shrink(index)),
    close: async () => index.close(),
  });
}

/** Only the mutable half of a storage root. Throws what `openIndex` throws. */
export async function openThreadStore(root: string): Promise<ThreadStore> {
  return (await openIndex(root)).threads;
}

/** The schedules of the same index. Throws what `openIndex` throws. */
export async function openSchedules(root: string): Promise<Schedules> {
  // Loaded on demand, here and below: commands that read no plan do not pay for the schemas.
  const { schedulesOn } = await import("../operations/schedules.ts");
  const index = await openThreadIndex(root);
  return schedulesOn(performing(index), async () => index.close());
}

/** The worker tasks of the same index. Throws what `openIndex` throws. */
export async function openTasks(root: string): Promise<TaskStore> {
  const { tasksOn } = await import("../operations/tasks.ts");
  const index = await openThreadIndex(root);
  return tasksOn(performing(index), async () => index.close());
}

/** The triggers of the same index. Throws what `openIndex` throws. */
export async function openTriggers(root: string): Promise<Triggers> {
  const { triggersOn } = await import("../operations/triggers.ts");
  const index = await openThreadIndex(root);
  return triggersOn(performing(index), async () => index.close());
}

function performing(index: ThreadIndex): Perform {
  return (deed) => retryWhileBusy(() => carryOut(index, deed));
}

/** VACUUM writes the whole file to the log again; the checkpoint then truncates file and log. */
function shrink(index: ThreadIndex): void {
  index.read("shrink the index", () => {
    index.sql("VACUUM").run();
    index.sql("PRAGMA wal_checkpoint(TRUNCATE)").all();
  });
}
