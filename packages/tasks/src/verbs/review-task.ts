import { err, type Failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import { asAgent, changeTask, denied, findTask, type TaskDesk } from "../task-desk.ts";

/** IN_REVIEW → APPROVED: what was offered last may be merged, and nothing else. */
export async function approveTask(
  desk: TaskDesk,
  id: string | null,
): Promise<Result<Task, Failure>> {
  const found = await findTask(desk, id);
  if (!found.ok) return found;
  const task = found.value;
  const who = await reviewer(desk, task);
  if (!who.ok) return who;
  if (task.state === "APPROVED") return ok(task);
  const message = { type: "review_approved", who: who.value, text: task.head } as const;
  return changeTask(desk, { task, to: "APPROVED", set: { note: null }, message });
}

/** IN_REVIEW → WORKING. */
export async function requestChanges(
  desk: TaskDesk,
  { id, comment }: { id: string | null; comment: string | null },
): Promise<Result<Task, Failure>> {
  const found = await findTask(desk, id);
  if (!found.ok) return found;
  const task = found.value;
  const who = await reviewer(desk, task);
  if (!who.ok) return who;
  if (task.state === "WORKING") return ok(task);
  const message = { type: "changes_requested", who: who.value, text: comment } as const;
  return changeTask(desk, { task, to: "WORKING", set: { note: comment }, message });
}

/** Anybody who did not work on the task: the agent of another one, too. */
async function reviewer(desk: TaskDesk, task: Task): Promise<Result<string, Failure>> {
  const { context, place } = desk;
  const worked = `whoever worked on task ${task.id} may not review it`;
  const hint = `have somebody else do it, outside the worktree: cd ${place.root}`;
  if (context?.task === task.id) return err(denied(worked, hint));
  let name = desk.who ?? desk.user;
  if (context !== null) {
    const own = await findTask(desk, context.task);
    const agent = own.ok ? asAgent(desk, own.value) : own;
    if (!agent.ok) return agent;
    name = agent.value;
  }
  return task.workers.includes(name) ? err(denied(worked, hint)) : ok(name);
}
