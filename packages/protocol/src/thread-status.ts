/** `idle`: no runner, can go on. `running`: a runner owns it. `paused`: the gate is closed.
 *  `suspended`: waits for a person. The last three are final. */
export const THREAD_STATUSES = [
  "idle",
  "running",
  "paused",
  "suspended",
  "completed",
  "failed",
  "aborted",
] as const;
export type ThreadStatus = (typeof THREAD_STATUSES)[number];

/** The only table of allowed changes; any other is `TRANSITION_INVALID`, exit code 3.
 *  A failed or aborted thread is final; `fork` is how to go on from one of its steps. */
export const THREAD_TRANSITIONS: { readonly [from in ThreadStatus]: readonly ThreadStatus[] } = {
  idle: ["running", "paused", "aborted"],
  running: ["idle", "paused", "suspended", "completed", "failed", "aborted"],
  paused: ["idle", "running", "aborted"],
  suspended: ["idle", "running", "aborted"],
  completed: [],
  failed: [],
  aborted: [],
};

export function canMove(from: ThreadStatus, to: ThreadStatus): boolean {
  return THREAD_TRANSITIONS[from].includes(to);
}

export function isFinal(status: ThreadStatus): boolean {
  return THREAD_TRANSITIONS[status].length === 0;
}
