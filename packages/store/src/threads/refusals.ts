/** Whether a change to a thread is allowed, and why not: one answer for every store, so that a caller gets the same
 *  code and the same words whichever is behind the port. If the change is allowed, the thread is returned with its
 *  narrowed type.
 *
 *  A thread is owned while it has a lease, and it has one exactly while its status is `running`. */
import {
  type AnswerMove,
  canMove,
  err,
  type Failure,
  failure,
  isFinished,
  isPersonWait,
  type Lease,
  type LeaseRef,
  leaseOf,
  ok,
  type Result,
  type RunningThread,
  raisingOptions,
  type SuspendedThread,
  type ThreadRecord,
  type ThreadStatus,
  type UnfinishedThread,
} from "@uncaged/workflow-protocol";

type Allowed<Thread> = Result<Thread, Failure>;

export type Acquisition = { threadId: string; nowMs: number; replaces: number | null };

export function toAcquire(
  thread: ThreadRecord | null,
  request: Acquisition,
): Allowed<UnfinishedThread> {
  if (thread === null) return err(notFound(request.threadId));
  if (isFinished(thread)) return err(cannotMove(thread, "running"));
  if (thread.status === "running") {
    const { lease } = thread;
    const free = lease.expiresAt <= request.nowMs || lease.fence === request.replaces;
    return free ? ok(thread) : err(held(lease));
  }
  return canMove(thread.status, "running") ? ok(thread) : err(cannotMove(thread, "running"));
}

export function toQueue(
  thread: ThreadRecord | null,
  request: Acquisition,
): Allowed<UnfinishedThread> {
  const allowed = toAcquire(thread, request);
  if (!allowed.ok || allowed.value.status !== "suspended") return allowed;
  return err(cannotMove(allowed.value, "queued"));
}

/** A removed thread has no owner either: a process that still writes to it has lost it. */
export function toWrite(thread: ThreadRecord | null, owner: LeaseRef): Allowed<RunningThread> {
  if (thread?.status === "running" && thread.lease.fence === owner.fence) return ok(thread);
  const now = thread === null ? "it was removed" : ownerOf(thread);
  return err(
    failure(
      "LEASE_LOST",
      `this process no longer owns thread ${owner.threadId} (fence ${owner.fence}): ${now}`,
      `nothing was changed; see: uncaged-workflow thread show ${owner.threadId}`,
    ),
  );
}

export function toMove(
  thread: ThreadRecord | null,
  move: LeaseRef & { from: string },
): Allowed<RunningThread> {
  const owned = toWrite(thread, move);
  if (!owned.ok || owned.value.head === move.from) return owned;
  return err(
    failure(
      "TRANSITION_INVALID",
      `the head of thread ${move.threadId} is ${owned.value.head}; a step that follows ${move.from} cannot be published`,
      "read the thread again and continue from its head",
    ),
  );
}

/** Whether this very move was made before: its answer was lost, and it is made again. */
export function isPublished(
  thread: ThreadRecord | null,
  { to, ...owner }: LeaseRef & { to: string },
): thread is RunningThread {
  return toWrite(thread, owner).ok && thread?.head === to;
}

export function toAnswer(thread: ThreadRecord | null, threadId: string): Allowed<SuspendedThread> {
  if (thread === null) return err(notFound(threadId));
  if (thread.status !== "suspended") {
    return err(
      failure(
        "TRANSITION_INVALID",
        `thread ${threadId} is ${thread.status}; it did not ask a question`,
        `see: uncaged-workflow thread show ${threadId}`,
      ),
    );
  }
  const [wait] = thread.waits;
  if (isPersonWait(wait)) return err(wantsPerson(threadId, wait.role));
  if (wait.kind !== "limit") return ok(thread);
  return err(
    failure(
      "TRANSITION_INVALID",
      `thread ${threadId} did not ask a question; it waits because ${wait.message}`,
      `raise the limit: uncaged-workflow thread resume ${threadId} ${raisingOptions(wait.limit)}`,
    ),
  );
}

/** A person's step goes where the person was asked, or nowhere: of two answers, one wins. */
export function toAnswerInPerson(
  thread: ThreadRecord | null,
  { threadId, from }: Pick<AnswerMove, "threadId" | "from">,
): Allowed<SuspendedThread> {
  if (thread === null) return err(notFound(threadId));
  const asks = thread.status === "suspended" && isPersonWait(thread.waits[0]);
  if (asks && thread.head === from) return ok(thread);
  return err(
    failure(
      "ANSWER_TAKEN",
      `thread ${threadId} no longer waits for this answer: somebody else answered first`,
      `see: uncaged-workflow thread show ${threadId}`,
    ),
  );
}

/** Nobody asks that any more: it was answered, or nobody waits for the answer. */
export function askTaken(threadId: string): Failure {
  return failure(
    "ANSWER_TAKEN",
    `thread ${threadId} no longer waits for this answer: somebody else answered first, or the step has ended`,
    `see: uncaged-workflow thread show ${threadId}`,
  );
}

/** Why plain text does not answer a form. */
function wantsPerson(threadId: string, role: string): Failure {
  return failure(
    "TRANSITION_INVALID",
    `thread ${threadId} waits for a person to play ${role}`,
    `answer it: uncaged-workflow answer ${threadId}`,
  );
}

export function toRaise(thread: ThreadRecord | null, threadId: string): Allowed<UnfinishedThread> {
  if (thread === null) return err(notFound(threadId));
  if (!isFinished(thread)) return ok(thread);
  return err(
    failure(
      "TRANSITION_INVALID",
      `thread ${threadId} is ${thread.status}; its limits no longer matter`,
      `see: uncaged-workflow thread show ${threadId}`,
    ),
  );
}

export function toRemove(
  thread: ThreadRecord | null,
  removal: { threadId: string; replaces: number | null },
): Allowed<ThreadRecord> {
  if (thread === null) return err(notFound(removal.threadId));
  const lease = leaseOf(thread);
  return lease === null || lease.fence === removal.replaces ? ok(thread) : err(held(lease));
}

export function existsAlready(threadId: string): Failure {
  return failure("TARGET_EXISTS", `thread ${threadId} already exists`, "use a new thread id");
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
  const lease = leaseOf(thread);
  if (lease === null) return `it is ${thread.status} and has no owner`;
  return `process ${lease.process.pid} took it over (fence ${lease.fence})`;
}
