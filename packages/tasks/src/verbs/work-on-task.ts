/** What the agent of a task says while it works. */
import { err, type Failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import { changeTask, lost, notFrom, ownTask, type TaskDesk } from "../task-desk.ts";

/** ASSIGNED → WORKING. */
export async function startTask(desk: TaskDesk, id: string | null): Promise<Result<Task, Failure>> {
  const own = await ownTask(desk, id);
  if (!own.ok) return own;
  const { task, who } = own.value;
  if (task.state === "WORKING") return ok(task);
  return changeTask(desk, {
    task,
    to: "WORKING",
    set: { who },
    message: { type: "state_change", who, text: null },
  });
}

/** A sign of life. `progress`: 0 to 1; null: as it was. */
export async function beatTask(
  desk: TaskDesk,
  { id, progress }: { id: string | null; progress: number | null },
): Promise<Result<Task, Failure>> {
  const own = await ownTask(desk, id);
  if (!own.ok) return own;
  const { task, who } = own.value;
  if (task.state === "FAILED" || task.state === "COMPLETED") return err(notFrom(task, "alive"));
  const beat = { nowMs: desk.now(), progress, who };
  if (await desk.store.beat(task, beat))
    return ok({ ...task, heartbeatAt: beat.nowMs, progress: progress ?? task.progress });
  return err(lost(`attempt ${task.attempt} at task ${task.id} is over`));
}
