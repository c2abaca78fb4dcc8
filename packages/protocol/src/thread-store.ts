import type { QueuePlace } from "./dispatch.ts";
import type { ThreadLimits } from "./limits.ts";
import type { PendingNotice } from "./notice.ts";
import type { Spent, SpentBy, SpentSum } from "./spent.ts";
import type { Usage } from "./step-run.ts";
import type { ThreadHistory } from "./thread-history.ts";
import type {
  Lease,
  NewThread,
  ProcessIdentity,
  SignalKind,
  ThreadCopy,
  ThreadEnding,
  ThreadLabels,
  ThreadRecord,
} from "./thread-record.ts";
import type { FinalStatus } from "./thread-status.ts";
import type { Ask, AskAnswer, AskedMember, PersonWait, Wait, Waits } from "./wait.ts";

/** The right to write one thread: a lease's fence. */
export type LeaseRef = { threadId: string; fence: number };

/** The signals that wait for an owner; `lost`: the thread no longer belongs to that owner. */
export type Renewed = readonly SignalKind[] | "lost";

/** A move from the head that the writer saw to a node that is already stored. */
type Move = { threadId: string; from: string; to: string; toSha256: string; nowMs: number };

export type HeadMove = OwnerMove | AnswerMove;

/** A move by the owner of the thread. */
export type OwnerMove = Move &
  LeaseRef &
  (
    | {
        /** One more step, which consumes what a person had said. */
        kind: "append";
        /** What its run used; null or left out: nobody reported anything. */
        spent?: Spent | null;
      }
    | {
        /** A step in place of the last one, which can be restored until the next step. */
        kind: "replace";
        spent?: Spent | null;
      }
    | {
        /** No step: the thread runs this bundle from here on. What a person said still waits for the next step. */
        kind: "upgrade";
        bundleHash: string;
      }
    | {
        /** No step: something that happened while the next one is under way. What a person said still waits for it. */
        kind: "note";
      }
  );

/** One more step, made by a person. The thread waited for that person and had no owner, and has none afterwards. */
export type AnswerMove = Move & {
  kind: "answer";
  /** What the thread still waits for; empty: it is idle. */
  waits: readonly Wait[];
};

/** A move to the end node, which is not a step. */
export type FinalMove = Move & LeaseRef & ThreadEnding & { spent?: Spent | null };

/** The state in which an owner parks a thread. */
export type ParkedState =
  | { status: "idle" }
  | { status: "queued"; queue: QueuePlace }
  | { status: "paused" }
  | { status: "suspended"; waits: Waits };

/** A thread from elsewhere, with what its nodes say. */
export type AdoptedThread = ThreadCopy &
  Pick<NewThread, "prompt"> & {
    /** What was used elsewhere, according to its steps. */
    usage?: Usage | null;
  };

/** The mutable half of a storage root.
 *
 *  1. Every change is a compare-and-set in one durable transaction: it happens whole or throws.
 *  2. A write that names a fence other than the current lease's throws `LEASE_LOST` and changes nothing,
 *     so an owner that was frozen while another took over cannot publish.
 *  3. A head moves only from the value the writer saw. A move, or an end, that its owner made before and makes again,
 *     because the answer was lost, has been made.
 *  4. Whether a lease has expired is for the store's clock to say. Where the store is a server, that is the server's clock, and
 *     the `nowMs` of its callers counts for nothing; so does it in `Dispatch`.
 *  5. History records an end, or a removal, before the thread's row does. A crash in between leaves a line that
 *     came too early: the thread ends, or is removed, once more, and its last line counts. */
export type ThreadStore = {
  /** With a `startKey` seen before, returns the thread made then and `created: false`. */
  create(
    thread: NewThread,
    startKey: string | null,
  ): Promise<{ thread: ThreadRecord; created: boolean }>;
  /** Takes over threads that were created elsewhere, all of them or none. They have no owner and no start key.
   *  Throws `TARGET_EXISTS` when one of their ids is taken. */
  adopt(threads: readonly AdoptedThread[]): Promise<void>;
  get(threadId: string): Promise<ThreadRecord | null>;
  /** The thread that was created with this key. */
  startedWith(startKey: string): Promise<ThreadRecord | null>;
  /** Ids that begin or end with `part`, at most `limit`. */
  match(part: string, limit: number): Promise<string[]>;
  /** Newest first. */
  list(filter: {
    workflow?: string;
    withLease?: true;
    /** Only those that wait for a person. */
    suspended?: true;
    /** Only those of which something is asked that nobody has answered, or of which that was so with an earlier owner. */
    asking?: true;
    /** Only those that have not ended. */
    unfinished?: true;
    /** Only those that have ended so. */
    ended?: FinalStatus;
    parentThread?: string;
    /** Only those made at this time or later, Unix milliseconds. */
    sinceMs?: number;
    /** Only those whose title or prompt has each of these words, in any case. */
    text?: string;
    /** Only those with all of these labels; null: whatever its value. */
    labels?: { readonly [key: string]: string | null };
    /** Only those that come after this one in the list, whether or not it still exists. */
    after?: { createdAt: number; threadId: string };
    limit?: number;
  }): Promise<ThreadRecord[]>;
  /** What was used in this storage root, removed threads included; the most expensive first, days in
   *  order. `sinceDay`: from this day on, as `2026-11-22`, UTC. */
  spent(query: { by: SpentBy; sinceDay?: string }): Promise<SpentSum[]>;
  /** Start and head of every thread: what garbage collection keeps. */
  roots(): Promise<{ threadId: string; startHash: string; head: string; headSha256: string }[]>;

  /** Takes the lease and moves the status to `running`, when the status allows it and nobody holds the
   *  lease, or it has run out, or its fence is `replaces` (an owner known to be dead).
   *  Throws `LEASE_HELD` or `TRANSITION_INVALID`. Clears a leftover `stop` signal. With `room`, members of a group for
   *  whom the thread was suspended stay asked.
   *
   *  With `room` the lease counts under the limits of the root. When there is none for it this throws `LIMIT_REACHED`,
   *  and with `or queue` the thread is queued by then, unless it waits for a person. */
  acquire(request: {
    threadId: string;
    process: ProcessIdentity;
    ttlMs: number;
    nowMs: number;
    replaces: number | null;
    /** Left out: the lease is short and runs no step. */
    room?: "or queue" | "or nothing";
    /** Who runs the steps: a worker, which may take this thread or finds no room; null: a process that serves the default
     *  pool. Left out: whoever a person chose for it. */
    worker?: string | null;
  }): Promise<Lease>;
  /** Heartbeat of a process, for all that it owns: one write, however many. Returns what waits for each, in their
   *  order. */
  renew(request: {
    leases: readonly LeaseRef[];
    ttlMs: number;
    nowMs: number;
  }): Promise<readonly Renewed[]>;
  /** Waiting signals of each thread, in their order, without a write. */
  signals(threadIds: readonly string[]): Promise<readonly (readonly SignalKind[])[]>;
  /** Publishes a step, and books what it used. Returns the signals that wait, read in the same transaction. An `answer` names no fence: it
   *  throws `ANSWER_TAKEN` unless the thread, at this head, waits for a person. */
  advance(move: HeadMove): Promise<readonly SignalKind[]>;
  /** Publishes the end node, a line of history, the final status and the release of the lease at once. */
  finish(move: FinalMove): Promise<void>;
  /** Releases the lease. For `paused`: only if the `pause` signal still stands, else `false` and the
   *  owner goes on (someone opened the gate meanwhile). For `suspended`: `false` if a member of a group for whom the thread
   *  would wait has just answered. */
  release(request: LeaseRef & { nowMs: number; to: ParkedState }): Promise<boolean>;

  /** Leaves a signal for the owner, whoever that is. A finished thread has none and keeps none. */
  signal(threadId: string, kind: SignalKind, nowMs: number): Promise<void>;
  clearSignal(threadId: string, kind: SignalKind): Promise<void>;
  /** Records a person's answer to a role's question: the suspended thread becomes idle, its question goes, and the
   *  role that asked is to run next. The answer stays until a step is published. Throws `TRANSITION_INVALID`. */
  answer(request: { threadId: string; text: string; nowMs: number }): Promise<void>;
  /** Sets bounds of an unfinished thread; the runner reads them when it starts. One that waits because of a
   *  limit becomes idle. Throws `TRANSITION_INVALID`. */
  raise(request: { threadId: string; limits: ThreadLimits; nowMs: number }): Promise<void>;
  /** Sets and removes labels of a thread, whatever its status. Others stay, and so does `updatedAt`: how long nothing
   *  happened to the thread does not depend on its labels. */
  label(request: {
    threadId: string;
    set: ThreadLabels;
    unset: readonly string[];
  }): Promise<ThreadLabels>;

  /** Has a step that is under way ask a person; a member of a group, or the step that is none, asks one thing at a time.
   *  Throws `LEASE_LOST`. */
  ask(request: LeaseRef & { wait: PersonWait }): Promise<void>;
  /** Has these people asked for members of a group, beside its agents: they alone are asked then. They stay asked whoever
   *  owns the thread, until it is suspended for them or has ended; what somebody answered who is asked again at the same
   *  `since` stands. Throws `LEASE_LOST`. */
  askMembers(request: LeaseRef & { waits: readonly PersonWait[] }): Promise<void>;
  /** The members that were asked, in order; with `answered` only those who have answered. */
  askedMembers(filter: { threadId: string; answered?: true }): Promise<AskedMember[]>;
  /** Takes no more answers of these members, until they are asked again; null: of all. */
  closeAsks(request: LeaseRef & { members: readonly number[] | null }): Promise<void>;
  /** What is asked, oldest first: by steps that are under way, which an earlier owner's are not, and of members of groups.
   *  Nothing that was answered. */
  asks(filter: { threadId?: string }): Promise<Ask[]>;
  /** Throws `ANSWER_TAKEN` when this is not asked any more. */
  answerAsk(request: Ask & { answer: AskAnswer }): Promise<void>;
  /** What a person answered; null: nothing yet. */
  askAnswer(request: LeaseRef & Pick<PersonWait, "member">): Promise<AskAnswer | null>;
  /** Asks no longer. Returns the answer, if there was one. */
  withdrawAsk(request: LeaseRef & Pick<PersonWait, "member">): Promise<AskAnswer | null>;

  /** Sets who is told when a thread comes to wait for a person, fails or completes. It holds for what happens from now
   *  on; whoever is not named any more is told nothing further. Such a notice is recorded in the transaction in which it
   *  happens, once per listener: a thread that waits again for the same thing causes none. Child threads end
   *  without one. */
  listen(listeners: readonly string[]): Promise<void>;
  /** The pending notices, oldest first. */
  notices(filter: { listener?: string; dueBy?: number; limit?: number }): Promise<PendingNotice[]>;
  /** The listener was told, or does not want to know. */
  settleNotice(request: { listener: string; id: string; nowMs: number }): Promise<void>;
  /** The listener could not be told; it is tried again later. */
  putOffNotice(request: {
    listener: string;
    id: string;
    dueAt: number;
    fault: string;
  }): Promise<void>;

  /** Forgets a thread that nobody owns, or whose lease has the fence `replaces` (an owner known to
   *  be dead). History remembers that it was removed. Throws `LEASE_HELD`. */
  remove(request: { threadId: string; replaces: number | null; nowMs: number }): Promise<void>;
  /** Also of threads that this store does not have, because its rows were lost. */
  history(): Promise<ThreadHistory>;
  /** Drops from the history every thread that was removed and had ended before that time, Unix milliseconds; one that was
   *  removed without an end, if that was before. The time of the last removal is kept. Returns their number. */
  forget(request: { endedBefore: number }): Promise<number>;
  close(): Promise<void>;
};
