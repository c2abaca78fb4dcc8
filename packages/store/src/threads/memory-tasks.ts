/** The port in memory, for tests. */
import type { Task, TaskMessage, TaskRef, TaskStore } from "@uncaged/workflow-protocol";
import { isAlive, messageOf, movedTask, newTask } from "./task-changes.ts";

export function memoryTasks(): TaskStore {
  const tasks = new Map<string, Task>();
  let messages: TaskMessage[] = [];
  let seq = 0;
  const keyOf = ({ repository, id }: TaskRef): string => JSON.stringify([repository, id]);
  const say = (message: Omit<TaskMessage, "seq">): void => {
    seq += 1;
    messages.push({ seq, ...message });
  };
  return {
    async add(task, { who, nowMs }) {
      if (tasks.has(keyOf(task))) return false;
      const added = newTask(task, nowMs);
      tasks.set(keyOf(task), added);
      const { repository, id, description: text } = task;
      const states = { from: null, to: added.state };
      say({ repository, id, type: "task_assign", attempt: 1, ...states, at: nowMs, who, text });
      return true;
    },
    get: async (ref) => tasks.get(keyOf(ref)) ?? null,
    list: async (repository) =>
      [...tasks.values()]
        .filter((task) => repository === null || task.repository === repository)
        .sort((a, b) => a.assignedAt - b.assignedAt || (keyOf(a) < keyOf(b) ? -1 : 1)),
    async move(move) {
      const moved = movedTask(move);
      const found = tasks.get(keyOf(move.task));
      if (found?.revision !== move.task.revision) return null;
      const { heartbeatAt, progress } = found.attempt === moved.attempt ? found : moved;
      // A heartbeat that came after the task was read counts.
      tasks.set(keyOf(move.task), { ...moved, heartbeatAt, progress });
      say(messageOf(move, moved));
      return moved;
    },
    async amend(task, set) {
      const found = tasks.get(keyOf(task));
      if (found?.revision !== task.revision) return false;
      tasks.set(keyOf(task), { ...found, ...set, revision: found.revision + 1 });
      return true;
    },
    async beat(ref, { nowMs, progress, who }) {
      const found = tasks.get(keyOf(ref));
      if (found === undefined || !isAlive(found, ref.attempt)) return false;
      const task = { ...found, heartbeatAt: nowMs, progress: progress ?? found.progress };
      tasks.set(keyOf(ref), task);
      const { repository, id, attempt, state } = task;
      const isSame = (each: TaskMessage): boolean =>
        each.type === "heartbeat" && keyOf(each) === keyOf(ref);
      messages = messages.filter((each) => !isSame(each));
      const text = task.progress === null ? null : String(task.progress);
      const states = { from: state, to: state };
      say({ repository, id, type: "heartbeat", attempt, ...states, at: nowMs, who, text });
      return true;
    },
    messages: async ({ repository, after, limit }) =>
      messages
        .filter((each) => each.seq > after)
        .filter((each) => repository === null || each.repository === repository)
        .slice(0, limit),
    close: async () => {},
  };
}
