/** What the agent of a task says while it works. */
import { err, type Failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import {
  changeTask,
  lost,
  notFrom,
  ownTask,
  type TaskCaller,
  type TaskDesk,
} from "../task-desk.ts";

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
  desk: TaskCaller & Pick<TaskDesk, "now">,
  { id, progress }: { id: string | null; progress: number | null },
): Promise<Result<Task, Failure>> {
  const own = await aliveTask(desk, id);
  if (!own.ok) return own;
  const { task, who } = own.value;
  const beat = { nowMs: desk.now(), progress, who };
  if (await desk.store.beat(task, beat))
    return ok({ ...task, heartbeatAt: beat.nowMs, progress: progress ?? task.progress });
  // Somebody ended the attempt in between; what became of the task says more than that.
  const now = await aliveTask(desk, id);
  return now.ok ? err(lost(`attempt ${task.attempt} at task ${task.id} is over`)) : now;
}

async function aliveTask(desk: TaskCaller, id: string | null): ReturnType<typeof ownTask> {
  const own = await ownTask(desk, id);
  if (!own.ok) return own;
  const { task } = own.value;
  const isOver = task.state === "FAILED" || task.state === "COMPLETED";
  return isOver ? err(notFrom(task, "alive")) : own;
}
