/** What a change makes of a task, the same for every store. */
import {
  canMoveTask,
  failure,
  type NewTask,
  type Task,
  type TaskMessage,
  type TaskMove,
  type TaskState,
  WorkflowError,
} from "@uncaged/workflow-protocol";

export function newTask(task: NewTask, nowMs: number): Task {
  return {
    ...task,
    state: "ASSIGNED",
    revision: 1,
    attempt: 1,
    who: null,
    workers: [],
    head: null,
    merged: null,
    note: null,
    assignedAt: nowMs,
    changedAt: nowMs,
    heartbeatAt: null,
    progress: null,
    thread: null,
  };
}

/** Throws `TRANSITION_INVALID`. */
export function movedTask({ task, to, set, nowMs }: TaskMove): Task {
  if (!canMoveTask(task.state, to))
    throw new WorkflowError(
      failure(
        "TRANSITION_INVALID",
        `task ${task.id} is ${task.state} and cannot become ${to}`,
        "see: uncaged-workflow task status",
      ),
    );
  const isRetry = to === "ASSIGNED";
  const fresh = isRetry
    ? { attempt: task.attempt + 1, who: null, heartbeatAt: null, progress: null, note: null }
    : {};
  const who = set.who ?? null;
  const workers =
    who === null || task.workers.includes(who) ? task.workers : [...task.workers, who];
  const hasThread = to !== "ASSIGNED" && !isSentBack(task.state, to);
  const thread = hasThread ? task.thread : null;
  const times = { changedAt: nowMs, ...(isRetry ? { assignedAt: nowMs } : {}) };
  const revision = task.revision + 1;
  return { ...task, ...fresh, ...set, ...times, state: to, workers, revision, thread };
}

/** What its thread did is not good enough: that thread has ended, and another one goes on. */
function isSentBack(from: TaskState, to: TaskState): boolean {
  return to === "WORKING" && (from === "IN_REVIEW" || from === "APPROVED");
}

export function messageOf(move: TaskMove, moved: Task): Omit<TaskMessage, "seq"> {
  const { repository, id, attempt, state, changedAt } = moved;
  return {
    repository,
    id,
    attempt,
    from: move.task.state,
    to: state,
    at: changedAt,
    ...move.message,
  };
}

/** Whether an attempt can still give signs of life. */
export function isAlive(task: Task, attempt: number): boolean {
  return task.attempt === attempt && task.state !== "FAILED" && task.state !== "COMPLETED";
}
