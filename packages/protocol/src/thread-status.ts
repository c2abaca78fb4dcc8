/** `idle`: no runner, can continue. `queued`: the same, and it continues when there is room. `running`: a runner owns it. `paused`: the gate is closed. `suspended`: waits
 *  for a person. The last three are final. */
export const THREAD_STATUSES = [
  "idle",
  "queued",
  "running",
  "paused",
  "suspended",
  "completed",
  "failed",
  "aborted",
] as const;
export type ThreadStatus = (typeof THREAD_STATUSES)[number];
export type FinalStatus = "completed" | "failed" | "aborted";

/** The only table of allowed changes; any other change is `TRANSITION_INVALID`, exit code 3. A failed or aborted
 *  thread is final; to continue from one of its steps, use `fork`. */
export const THREAD_TRANSITIONS: { readonly [from in ThreadStatus]: readonly ThreadStatus[] } = {
  idle: ["queued", "running", "paused", "aborted"],
  queued: ["idle", "running", "paused", "aborted"],
  running: ["idle", "queued", "paused", "suspended", "completed", "failed", "aborted"],
  paused: ["idle", "queued", "running", "aborted"],
  suspended: ["idle", "running", "aborted"],
  completed: [],
  failed: [],
  aborted: [],
};

export function canMove(from: ThreadStatus, to: ThreadStatus): boolean {
  return THREAD_TRANSITIONS[from].includes(to);
}

export function isFinal(status: ThreadStatus): status is FinalStatus {
  return THREAD_TRANSITIONS[status].length === 0;
}
