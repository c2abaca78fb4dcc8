import {
  isFinal,
  type Lease,
  leaseOf,
  type ThreadRecord,
  type ThreadStatus,
} from "@uncaged/workflow-protocol";
import { livenessOf } from "@uncaged/workflow-util";

/** What a thread's lease says about its runner right now. `none`: there is none. `alive`: its process runs and has
 *  renewed the lease in time. `silent`: it has not, though it may still be there. `dead`: its process is certainly
 *  gone. */
export type RunnerState = "none" | "alive" | "silent" | "dead";

export function runnerState(lease: Lease | null, nowMs: number): RunnerState {
  if (lease === null) return "none";
  const liveness = livenessOf(lease.process);
  if (liveness === "dead") return "dead";
  return lease.expiresAt > nowMs ? "alive" : "silent";
}

/** The status as it is now. It is computed, never stored: a runner that was killed cannot record that. */
export function observedStatus(
  thread: ThreadRecord,
  nowMs: number,
): { status: ThreadStatus; stale: boolean } {
  return statusBeside(thread, runnerState(leaseOf(thread), nowMs));
}

/** The status of a thread whose runner was seen in this state. */
export function statusBeside(
  thread: ThreadRecord,
  runner: RunnerState,
): { status: ThreadStatus; stale: boolean } {
  if (isFinal(thread.status)) return { status: thread.status, stale: false };
  if (runner === "dead") return { status: "idle", stale: true };
  return { status: thread.status, stale: runner === "silent" };
}
