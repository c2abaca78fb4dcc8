import type { ThreadLimits } from "./limits.ts";
import type { ThreadStatus } from "./thread-status.ts";
import type { Suspension } from "./workflow-runtime.ts";

/** Which process, beyond doubt: a pid alone is reused. */
export type ProcessIdentity = {
  pid: number;
  /** Opaque start time of the process as its system reports it; compared for equality only. */
  startedAt: string;
  /** Boot and pid namespace; a pid from another one says nothing here. */
  bootId: string;
};

/** Who may write a thread. A higher fence means a later owner; every write names its fence. */
export type Lease = {
  threadId: string;
  fence: number;
  process: ProcessIdentity;
  /** Unix milliseconds, all three. */
  acquiredAt: number;
  heartbeatAt: number;
  expiresAt: number;
};

/** What another process asks of a thread's runner. `pause` stays until the gate opens again. */
export type SignalKind = "pause" | "stop" | "kill";

/** All that is mutable about a thread. `status` is what was last written: a thread whose runner
 *  died still says `running` here, and readers compute the rest from `lease`. */
export type ThreadRecord = {
  threadId: string;
  workflow: string;
  bundleHash: string;
  startHash: string;
  /** The last node of the chain; the start node before the first step. */
  head: string;
  /** SHA-256 (hex) of the head's bytes: commits to the whole thread. */
  headSha256: string;
  status: ThreadStatus;
  /** Role results in the chain; the end node is not one. */
  stepCount: number;
  depth: number;
  /** Thread whose step runs this one as its child. */
  parentThread: string | null;
  /** Directory that roles work in unless a route says otherwise; absolute. */
  cwd: string;
  returnCode: number | null;
  summary: string | null;
  suspended: Suspension | null;
  /** What a person answered to the role that asked; its next step takes it. */
  answer: { role: string; text: string } | null;
  /** What a person says to whoever the table names next, in place of the edge's prompt. */
  nextPrompt: string | null;
  /** Bounds that the thread was started with or that were raised since; null: those of its workflow. */
  limits: ThreadLimits | null;
  /** Name in `config.agents` of the agent that plays every role; null: whoever the workflow binds. */
  agent: string | null;
  /** The step that a poke replaced last, kept until the next step is published. */
  replaced: { head: string; headSha256: string } | null;
  forkedFrom: { threadId: string; stateHash: string } | null;
  /** Unix milliseconds. `startedAt` is kept by forks, so that rules see what the original saw. */
  startedAt: number;
  createdAt: number;
  updatedAt: number;
  lease: Lease | null;
  signals: readonly SignalKind[];
};

export type NewThread = Pick<
  ThreadRecord,
  | "threadId"
  | "workflow"
  | "bundleHash"
  | "startHash"
  | "head"
  | "headSha256"
  | "stepCount"
  | "depth"
  | "parentThread"
  | "cwd"
  | "forkedFrom"
  | "startedAt"
  | "createdAt"
> &
  Partial<Pick<ThreadRecord, "limits" | "agent" | "nextPrompt">>;

/** A thread that was made in another storage root, as it stood while nobody ran it. */
export type ThreadCopy = NewThread &
  Pick<ThreadRecord, "returnCode" | "summary" | "suspended" | "answer" | "updatedAt"> & {
    status: Exclude<ThreadStatus, "running" | "paused">;
  };

/** The right to write one thread: a lease's fence. */
export type Tenure = { threadId: string; fence: number };

export type HeadMove = Tenure & {
  /** The head takes the place of the old one, which can be brought back until the next step. */
  replaces?: true;
  /** The thread runs this bundle from here on. An answer that waits for the next step goes on waiting. */
  bundleHash?: string;
  from: string;
  to: string;
  toSha256: string;
  stepCount: number;
  nowMs: number;
};

/** The mutable half of a storage root.
 *
 *  1. Every change is a compare-and-set in one durable transaction: it happens whole or throws.
 *  2. A write that names a fence other than the current lease's throws `LEASE_LOST` and changes nothing,
 *     so an owner that was frozen while another took over cannot publish.
 *  3. A head moves only from the value the writer saw. */
export type ThreadStore = {
  /** With a `startKey` seen before, gives the thread made then and `created: false`. */
  create(
    thread: NewThread,
    startKey: string | null,
  ): Promise<{ thread: ThreadRecord; created: boolean }>;
  /** Takes threads over that were made elsewhere, all of them or none. They have no owner and no start key.
   *  Throws `TARGET_EXISTS` when one of their ids is taken. */
  adopt(threads: readonly ThreadCopy[]): Promise<void>;
  get(threadId: string): Promise<ThreadRecord | null>;
  /** Ids that begin or end with `part`, at most `limit`. */
  match(part: string, limit: number): Promise<string[]>;
  /** Newest first. */
  list(filter: {
    workflow?: string;
    withLease?: true;
    /** Only those that wait for a person. */
    suspended?: true;
    parentThread?: string;
    limit?: number;
  }): Promise<ThreadRecord[]>;
  /** Start and head of every thread: what garbage collection keeps. */
  roots(): Promise<{ threadId: string; startHash: string; head: string; headSha256: string }[]>;

  /** Takes the lease and moves the status to `running`, when the status allows it and nobody holds the
   *  lease, or it has run out, or its fence is `replaces` (an owner known to be dead).
   *  Throws `LEASE_HELD` or `TRANSITION_INVALID`. Clears a leftover `stop` signal. */
  acquire(request: {
    threadId: string;
    process: ProcessIdentity;
    ttlMs: number;
    nowMs: number;
    replaces: number | null;
  }): Promise<Lease>;
  /** Heartbeat. Gives the signals that wait for this owner. Throws `LEASE_LOST`. */
  renew(request: Tenure & { ttlMs: number; nowMs: number }): Promise<readonly SignalKind[]>;
  /** Waiting signals without a write. */
  signals(threadId: string): Promise<readonly SignalKind[]>;
  /** Publishes a step. Gives the signals that wait, read in the same transaction. */
  advance(move: HeadMove): Promise<readonly SignalKind[]>;
  /** Publishes the end node, the final status and the release of the lease at once. `record` is called when the
   *  fence has held and before anything counts: what it throws undoes the whole. */
  finish(
    move: HeadMove & {
      status: "completed" | "failed" | "aborted";
      returnCode: number;
      summary: string;
      record?: () => void;
    },
  ): Promise<void>;
  /** Gives the lease up. For `paused`: only if the `pause` signal still stands, else `false` and the
   *  owner goes on (someone opened the gate meanwhile). */
  release(
    request: Tenure & {
      nowMs: number;
      to: { status: "idle" } | { status: "paused" } | ({ status: "suspended" } & Suspension);
    },
  ): Promise<boolean>;

  /** Leaves a signal for the owner, whoever that is. A finished thread has none and keeps none. */
  signal(threadId: string, kind: SignalKind, nowMs: number): Promise<void>;
  clearSignal(threadId: string, kind: SignalKind): Promise<void>;
  /** Records a person's answer: the suspended thread becomes idle, its question goes, and the role that asked
   *  is to run next. The answer stays until a step is published. Throws `TRANSITION_INVALID`. */
  answer(request: { threadId: string; text: string; nowMs: number }): Promise<void>;
  /** Sets bounds of an unfinished thread; the runner reads them when it starts. One that waits because of a
   *  limit becomes idle. Throws `TRANSITION_INVALID`. */
  raise(request: { threadId: string; limits: ThreadLimits; nowMs: number }): Promise<void>;

  /** Forgets a thread that nobody owns, or whose lease has the fence `replaces` (an owner known to
   *  be dead). Throws `LEASE_HELD`. */
  remove(threadId: string, replaces: number | null): Promise<void>;

  /** Runs a short synchronous section while no other process runs one on this storage root.
   *  The lock dies with its holder. Throws `STORAGE_FAILED` when it cannot be had in time. */
  exclusively<T>(section: () => T): Promise<T>;
  close(): Promise<void>;
};
