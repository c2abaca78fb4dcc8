import { err, type Failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import { type Landed, type Landing, landTasks, takeBack } from "../queue/land-tasks.ts";
import { asOther, findTask, notFrom, type TaskDesk } from "../task-desk.ts";

export type Merge = Omit<Landing, "by">;

/** APPROVED → COMPLETED. `TASK_CONFLICT` and `TASK_RED`: the task is WORKING again. */
export async function mergeTask(
  desk: TaskDesk,
  id: string | null,
  merge: Merge,
): Promise<Result<Task, Failure>> {
  const by = asOther(desk, "merge");
  if (!by.ok) return by;
  const found = await findTask(desk, id);
  if (!found.ok) return found;
  const task = found.value;
  if (task.state === "COMPLETED") {
    // A crash may have come before its worktree was taken back.
    await takeBack(desk, task, merge.deleteBranch);
    return ok(task);
  }
  if (task.state !== "APPROVED") return err(notFrom(task, "COMPLETED"));
  const [landed] = await landTasks(desk, [task], { ...merge, by: by.value });
  if (landed === undefined) return ok(task);
  return landed.outcome === "merged" ? ok(landed.task) : err(landed.reason);
}

/** All that are approved and that the caller takes, in the order of their approval. */
export async function mergeAll(
  desk: TaskDesk,
  merge: Merge,
  takes: (task: Task) => boolean = () => true,
): Promise<Result<Landed[], Failure>> {
  const by = asOther(desk, "merge");
  if (!by.ok) return by;
  const tasks = await desk.store.list(desk.place.repository.commonDir);
  const approved = tasks
    .filter((task) => task.state === "APPROVED" && takes(task))
    .toSorted((a, b) => a.changedAt - b.changedAt);
  const landed: Landed[] = [];
  for (const integration of new Set(approved.map((task) => task.integration))) {
    const into = approved.filter((task) => task.integration === integration);
    landed.push(...(await landTasks(desk, into, { ...merge, by: by.value })));
  }
  return ok(landed);
}
