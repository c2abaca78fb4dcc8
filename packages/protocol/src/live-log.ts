import type { LiveEvent } from "./live-event.ts";
import type { LeaseRef } from "./thread-store.ts";

/** An event with its place in its thread's log. */
export type LiveRecord = LiveEvent & {
  /** Counts from 1 across all owners of the thread; never assigned to two events that anyone could have read. */
  seq: number;
};

/** Events `from` to `to`, both included, can no longer be read: the log is bounded, its disk was full, or the
 *  machine went down before they were written. */
export type LiveGap = { type: "gap"; threadId: string; from: number; to: number };

export type LiveItem = LiveRecord | LiveGap;

/** What agents say and do while they run, for people watching.
 *
 *  1. For display, and for the cost of attempts that left no step. Nothing else depends on it, and losing it loses
 *     no step.
 *  2. A reader gets every event once, in order of number. Events it cannot get are reported as a gap.
 *  3. Bounded: the oldest events go first.
 *  4. One owner of a thread writes at a time. What a superseded owner appends after its successor's first append is
 *     not part of the log. */
export type LiveLog = {
  /** The owner's end of the log. Writes nothing before the first event. */
  writer(lease: LeaseRef): LiveWriter;
  /** Events after number `after`; 0: from the oldest one kept. `end`: what exists now. `aborted`: then waits for
   *  more until the signal aborts, which is not an error. An `after` that this log has not reached belongs to an
   *  earlier log of the same name, and counts as 0. */
  read(
    threadId: string,
    opts: { after: number; until: "end" | "aborted"; signal: AbortSignal },
  ): AsyncIterable<LiveItem>;
  /** Number of the newest event; 0: none. */
  last(threadId: string): Promise<number>;
  /** Resolves when readers can see everything that this process's writers of the thread have accepted, or when it is
   *  lost. Never rejects. */
  flush(threadId: string): Promise<void>;
  remove(threadId: string): Promise<void>;
  /** Writes what is pending, and ends what this log has opened. */
  close(): Promise<void>;
};

export type LiveWriter = {
  /** Accepts an event, to be written soon. Never throws, and does not wait for the disk. A text too long for a line
   *  is cut; the thread's nodes have all of it. */
  append(event: LiveEvent): void;
  /** Writes what is pending. Later events are dropped. */
  close(): void;
};
