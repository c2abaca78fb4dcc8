import {
  isFinal,
  type Lease,
  type ThreadRecord,
  type ThreadStatus,
  type ThreadSummary,
} from "@uncaged/workflow-protocol";
import { livenessOf } from "@uncaged/workflow-util";

/** What a thread's lease says about its runner right now.
 *  `none`: nobody. `alive`: its process runs and was heard of within the lease. `silent`: not heard of for
 *  longer, though it may still be there. `dead`: its process is certainly gone. */
export type RunnerState = "none" | "alive" | "silent" | "dead";

export function runnerState(lease: Lease | null, nowMs: number): RunnerState {
  if (lease === null) return "none";
  const liveness = livenessOf(lease.process);
  if (liveness === "dead") return "dead";
  return lease.expiresAt > nowMs ? "alive" : "silent";
}

/** The status as it is now. It is computed, never stored: a runner that was killed cannot write that it is. */
export function observedStatus(
  thread: ThreadRecord,
  nowMs: number,
): { status: ThreadStatus; stale: boolean } {
  if (isFinal(thread.status)) return { status: thread.status, stale: false };
  const runner = runnerState(thread.lease, nowMs);
  if (runner === "dead") return { status: "idle", stale: true };
  return { status: thread.status, stale: runner === "silent" };
}

export function threadSummary(thread: ThreadRecord, nowMs: number): ThreadSummary {
  const { threadId, workflow, bundleHash, head, stepCount, suspended, updatedAt } = thread;
  return {
    threadId,
    workflow,
    bundleHash,
    ...observedStatus(thread, nowMs),
    head,
    stepCount,
    suspended,
    updatedAt,
  };
}
