/** Tasks in documents and in words, without their tokens. */
import { type Failure, ok, type Result, type Task } from "@uncaged/workflow-protocol";
import { isStale } from "@uncaged/workflow-tasks";
import type { Output } from "../command/command.ts";

export type ShownTask = Omit<Task, "tokenSha256" | "revision"> & { stale: boolean };

export function shownTask(
  { tokenSha256: _token, revision: _revision, ...task }: Task,
  nowMs: number,
): ShownTask {
  return { ...task, stale: isStale({ ...task, tokenSha256: "", revision: 0 }, nowMs) };
}

/** What a verb that changes one task returns. */
export function said(
  changed: Result<Task, Failure>,
  nowMs: number,
  words: (task: Task) => string,
): Result<Output, Failure> {
  if (!changed.ok) return changed;
  const task = changed.value;
  return ok({ document: { task: shownTask(task, nowMs) }, human: () => words(task) });
}
