import { err, type Failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import { cleanUp } from "../clean-up.ts";
import { asAgent, asOther, changeTask, findTask, notFrom, type TaskDesk } from "../task-desk.ts";

/** → FAILED, by its agent or by somebody else. */
export async function failTask(
  desk: TaskDesk,
  { id, reason }: { id: string | null; reason: string },
): Promise<Result<Task, Failure>> {
  const found = await findTask(desk, id);
  if (!found.ok) return found;
  const task = found.value;
  const isAgent = desk.context?.task === task.id;
  const who = isAgent ? asAgent(desk, task) : asOther(desk, "fail another task");
  if (!who.ok) return who;
  return toFailed(desk, { task, reason, who: who.value });
}

export type Cancel = {
  id: string | null;
  /** Worktrees and branch are removed; refused while anything there is in no commit, or not merged. */
  cleanup: boolean;
  /** Files and commits are kept under `refs/uncaged/archive/<task>/` first. */
  archive: boolean;
};

/** → FAILED, then what was made for it is removed if that is asked for. */
export async function cancelTask(
  desk: TaskDesk,
  { id, cleanup, archive }: Cancel,
): Promise<Result<Task, Failure>> {
  const found = await findTask(desk, id);
  if (!found.ok) return found;
  const who = asOther(desk, "cancel tasks");
  if (!who.ok) return who;
  // The state first: its agent can then push nothing that would be taken for a result.
  const failed = await toFailed(desk, { task: found.value, reason: "cancelled", who: who.value });
  if (!failed.ok || (!cleanup && !archive)) return failed;
  const cleaned = await cleanUp(desk.place, failed.value, {
    archive,
    worktrees: cleanup,
    branch: cleanup ? (archive ? "always" : "merged") : "never",
  });
  return cleaned.ok ? failed : cleaned;
}

async function toFailed(
  desk: TaskDesk,
  { task, reason, who }: { task: Task; reason: string; who: string },
): Promise<Result<Task, Failure>> {
  if (task.state === "FAILED") return ok(task);
  if (task.state === "COMPLETED") return err(notFrom(task, "FAILED"));
  const message = { type: "task_failed", who, text: reason } as const;
  return changeTask(desk, { task, to: "FAILED", set: { note: reason }, message });
}
