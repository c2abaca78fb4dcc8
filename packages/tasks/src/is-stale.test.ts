import type { Task, TaskState } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { isStale } from "./is-stale.ts";

const MINUTE = 60_000;

test.each([
  ["ASSIGNED", 5],
  ["WORKING", 5],
  ["IN_REVIEW", 60],
] as const)(
  "a task in %s is stale after %i silent minutes, and a heartbeat ends that",
  (state, minutes) => {
    const at = minutes * MINUTE;
    expect(isStale(task(state, null), at)).toBe(false);
    expect(isStale(task(state, null), at + 1)).toBe(true);
    expect(isStale(task(state, 1), at + 1)).toBe(false);
  },
);

test.each(["CONFLICTED", "APPROVED", "COMPLETED", "FAILED"] as const)(
  "a task in %s is never stale",
  (state) => {
    expect(isStale(task(state, null), 1_000 * MINUTE)).toBe(false);
  },
);

function task(state: TaskState, heartbeatAt: number | null): Task {
  return {
    ...{ repository: "/repo", id: "a", state, revision: 1, branch: "feat/a", worktree: "/repo/a" },
    ...{ description: "", integration: "main", attempt: 1, tokenSha256: "", who: null },
    ...{ workers: [], head: null, merged: null, note: null, progress: null, heartbeatAt },
    ...{ assignedAt: 0, changedAt: 0, workflow: null, thread: null },
  };
}
