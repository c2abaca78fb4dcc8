import type { Task } from "@uncaged/workflow-protocol";

const MINUTE_MS = 60_000;
const WORK_MS = 5 * MINUTE_MS;
const REVIEW_MS = 60 * MINUTE_MS;

/** When a task last showed a sign of life. */
export function lastSign({ changedAt, heartbeatAt }: Task): number {
  return Math.max(changedAt, heartbeatAt ?? 0);
}

/** Whether nobody seems to care for a task any more: computed, never stored. */
export function isStale(task: Task, nowMs: number): boolean {
  const silence = nowMs - lastSign(task);
  if (task.state === "ASSIGNED" || task.state === "WORKING") return silence > WORK_MS;
  return task.state === "IN_REVIEW" && silence > REVIEW_MS;
}
