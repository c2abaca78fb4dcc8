/** Converts rows of the index to tasks and messages. Throws `STORAGE_FAILED` for a row that this program cannot have
 *  written. */
import {
  parseJson,
  TASK_MESSAGES,
  TASK_STATES,
  type Task,
  type TaskMessage,
} from "@uncaged/workflow-protocol";
import { damagedRow } from "./firing-rows.ts";
import type { NamedRow } from "./thread-columns.ts";

/** Everything but the name, which is a part of each statement's parameters as well. */
export function taskValues(task: Task): Record<string, string | number | null> {
  return { ...task, workers: JSON.stringify(task.workers) };
}

export function taskOf(row: NamedRow): Task {
  const what = `task ${String(row.id)}`;
  const text = (value: unknown): string => {
    if (typeof value === "string") return value;
    throw damagedRow(what);
  };
  const number = (value: unknown): number => {
    if (typeof value === "number") return value;
    throw damagedRow(what);
  };
  const state = TASK_STATES.find((known) => known === row.state);
  const workers = parseJson(text(row.workers));
  if (state === undefined || !Array.isArray(workers)) throw damagedRow(what);
  return {
    repository: text(row.repository),
    id: text(row.id),
    state,
    revision: number(row.revision),
    branch: text(row.branch),
    worktree: text(row.worktree),
    description: text(row.description),
    integration: text(row.integration),
    attempt: number(row.attempt),
    tokenSha256: text(row.tokenSha256),
    who: row.who === null ? null : text(row.who),
    workers: workers.map(text),
    head: row.head === null ? null : text(row.head),
    merged: row.merged === null ? null : text(row.merged),
    note: row.note === null ? null : text(row.note),
    assignedAt: number(row.assignedAt),
    changedAt: number(row.changedAt),
    heartbeatAt: row.heartbeatAt === null ? null : number(row.heartbeatAt),
    progress: row.progress === null ? null : number(row.progress),
    workflow: row.workflow === null ? null : text(row.workflow),
    thread: row.thread === null ? null : text(row.thread),
  };
}

export function taskMessageOf(row: NamedRow): TaskMessage {
  const { seq, repository, id, attempt, at, who, text } = row;
  const type = TASK_MESSAGES.find((known) => known === row.type);
  const from = TASK_STATES.find((known) => known === row.fromState) ?? null;
  const to = TASK_STATES.find((known) => known === row.toState);
  if (
    typeof seq !== "number" ||
    typeof repository !== "string" ||
    typeof id !== "string" ||
    typeof attempt !== "number" ||
    typeof at !== "number" ||
    !(who === null || typeof who === "string") ||
    !(text === null || typeof text === "string") ||
    type === undefined ||
    to === undefined
  )
    throw damagedRow(`message ${String(seq)} of the tasks`);
  return { seq, repository, id, type, attempt, from, to, at, who, text };
}
