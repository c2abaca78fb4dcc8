/** Why a change of a thread is refused: one answer for every store, so that a caller reads the
 *  same code and the same words whichever one is behind the port. `null`: it is not refused.
 *
 *  A thread is owned while it has a lease, and it has one exactly while its status is `running`. */
import {
  canMove,
  type Failure,
  failure,
  type HeadMove,
  isFinal,
  type Lease,
  raisingOptions,
  type Tenure,
  type ThreadRecord,
  type ThreadStatus,
} from "@uncaged/workflow-protocol";

export type Acquisition = { threadId: string; nowMs: number; replaces: number | null };

export function acquireRefusal(thread: ThreadRecord | null, request: Acquisition): Failure | null {
  if (thread === null) return notFound(request.threadId);
  const { lease } = thread;
  if (lease !== null) {
    const free = lease.expiresAt <= request.nowMs || lease.fence === request.replaces;
    return free ? null : held(lease);
  }
  return canMove(thread.status, "running") ? null : cannotMove(thread, "running");
}

/** A removed thread has no owner either: whoever still writes to it has lost it. */
export function tenureRefusal(thread: ThreadRecord | null, tenure: Tenure): Failure | null {
  if (thread?.lease?.fence === tenure.fence) return null;
  const now = thread === null ? "it was removed" : ownerOf(thread);
  return failure(
    "LEASE_LOST",
    `this process no longer owns thread ${tenure.threadId} (fence ${tenure.fence}): ${now}`,
    `nothing was changed; see: uncaged-workflow thread show ${tenure.threadId}`,
  );
}

export function moveRefusal(thread: ThreadRecord | null, move: HeadMove): Failure | null {
  const lost = tenureRefusal(thread, move);
  if (lost !== null || thread === null || thread.head === move.from) return lost;
  return failure(
    "TRANSITION_INVALID",
    `the head of thread ${move.threadId} is ${thread.head}; a step that follows ${move.from} cannot be published`,
    "read the thread again and go on from its head",
  );
}

export function answerRefusal(thread: ThreadRecord | null, threadId: string): Failure | null {
  if (thread === null) return notFound(threadId);
  if (thread.suspended?.kind === "limit") {
    return failure(
      "TRANSITION_INVALID",
      `thread ${threadId} asked nothing, it waits because ${thread.suspended.message}`,
      `raise the limit: uncaged-workflow thread resume ${threadId} ${raisingOptions(thread.suspended.limit)}`,
    );
  }
  if (thread.status === "suspended") return null;
  return failure(
    "TRANSITION_INVALID",
    `thread ${threadId} is ${thread.status}; it asked nothing`,
    `see: uncaged-workflow thread show ${threadId}`,
  );
}

export function raiseRefusal(thread: ThreadRecord | null, threadId: string): Failure | null {
  if (thread === null) return notFound(threadId);
  if (!isFinal(thread.status)) return null;
  return failure(
    "TRANSITION_INVALID",
    `thread ${threadId} is ${thread.status}; its limits do not matter any more`,
    `see: uncaged-workflow thread show ${threadId}`,
  );
}

export function removeRefusal(
  thread: ThreadRecord | null,
  removal: { threadId: string; replaces: number | null },
): Failure | null {
  if (thread === null) return notFound(removal.threadId);
  if (thread.lease === null || thread.lease.fence === removal.replaces) return null;
  return held(thread.lease);
}

export function existsAlready(threadId: string): Failure {
  return failure("TARGET_EXISTS", `there is a thread ${threadId} already`, "use a new thread id");
}

export function notFound(threadId: string): Failure {
  return failure(
    "THREAD_NOT_FOUND",
    `there is no thread ${threadId}`,
    "see all of them with: uncaged-workflow thread list",
  );
}

function held(lease: Lease): Failure {
  const until = new Date(lease.expiresAt).toISOString();
  return failure(
    "LEASE_HELD",
    `thread ${lease.threadId} is run by process ${lease.process.pid} (fence ${lease.fence}, until ${until})`,
    `watch it with: uncaged-workflow thread live ${lease.threadId}, or end it with: uncaged-workflow thread stop ${lease.threadId}`,
  );
}

function cannotMove(thread: ThreadRecord, to: ThreadStatus): Failure {
  return failure(
    "TRANSITION_INVALID",
    `thread ${thread.threadId} is ${thread.status}; it cannot become ${to}`,
    `see: uncaged-workflow thread show ${thread.threadId}`,
  );
}

function ownerOf(thread: ThreadRecord): string {
  const { lease, status } = thread;
  if (lease === null) return `it is ${status} and nobody's`;
  return `process ${lease.process.pid} took it over (fence ${lease.fence})`;
}
