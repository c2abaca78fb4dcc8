import { err, type Failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import { changeTask, denied, findTask, ownTask, type TaskDesk } from "../task-desk.ts";

/** IN_REVIEW → APPROVED: what was offered last may be merged, and nothing else. */
export async function approveTask(
  desk: TaskDesk,
  id: string | null,
): Promise<Result<Task, Failure>> {
  const review = await reviewed(desk, id);
  if (!review.ok) return review;
  const { task, who } = review.value;
  if (task.state === "APPROVED") return ok(task);
  const message = { type: "review_approved", who, text: task.head } as const;
  return changeTask(desk, { task, to: "APPROVED", set: { note: null }, message });
}

/** IN_REVIEW → WORKING. */
export async function requestChanges(
  desk: TaskDesk,
  { id, comment }: { id: string | null; comment: string | null },
): Promise<Result<Task, Failure>> {
  const review = await reviewed(desk, id);
  if (!review.ok) return review;
  const { task, who } = review.value;
  if (task.state === "WORKING") return ok(task);
  const message = { type: "changes_requested", who, text: comment } as const;
  return changeTask(desk, { task, to: "WORKING", set: { note: comment }, message });
}

/** The task and who reviews it: anybody who did not work on it, the agent of another one, too. */
async function reviewed(
  desk: TaskDesk,
  id: string | null,
): Promise<Result<{ task: Task; who: string }, Failure>> {
  const found = await findTask(desk, id);
  if (!found.ok) return found;
  const task = found.value;
  const { context, place } = desk;
  const worked = `whoever worked on task ${task.id} may not review it`;
  const hint = `have somebody else do it, outside the worktree: cd ${place.root}`;
  if (context?.task === task.id) return err(denied(worked, hint));
  let name = desk.who ?? desk.user;
  if (context !== null) {
    const own = await ownTask(desk, context.task);
    if (!own.ok) return own;
    name = own.value.who;
  }
  return task.workers.includes(name) ? err(denied(worked, hint)) : ok({ task, who: name });
}
