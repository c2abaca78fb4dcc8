import type { LiveEvent } from "./live-event.ts";
import type { Tenure } from "./thread-store.ts";

/** An event with its place in its thread's log. */
export type LiveRecord = LiveEvent & {
  /** Counts from 1, over all owners of the thread; never given to two events that somebody could read. */
  seq: number;
};

/** Events of these numbers, both included, cannot be read any more: the log is bounded, its disk was full, or
 *  the machine went down before it had written them. */
export type LiveGap = { type: "gap"; threadId: string; from: number; to: number };

export type LiveItem = LiveRecord | LiveGap;

/** What agents say and do while they run, for whoever watches.
 *
 *  1. For eyes, and for what attempts cost that left no step. Nothing else is decided from it, and losing it loses no
 *     step.
 *  2. A reader gets every event once, in order of its number. What it cannot get is said as a gap.
 *  3. Bounded: the oldest events go first.
 *  4. One owner of a thread writes at a time. What a superseded one appends once the next has appended is not
 *     part of the log. */
export type LiveLog = {
  /** The owner's end of the log. Nothing is written before the first event. */
  writer(tenure: Tenure): LiveWriter;
  /** What comes after the number `after`; 0: from the oldest that is kept. `end`: what is there now.
   *  `aborted`: then waits for more, until the signal aborts, which is no error. An `after` that the log has
   *  not reached is that of another log by this name, and counts as 0. */
  read(
    threadId: string,
    opts: { after: number; until: "end" | "aborted"; signal: AbortSignal },
  ): AsyncIterable<LiveItem>;
  /** Number of the newest event; 0: there is none. */
  last(threadId: string): Promise<number>;
  /** Lets readers have all that writers of this thread in this process have taken. */
  flush(threadId: string): void;
  remove(threadId: string): Promise<void>;
};

export type LiveWriter = {
  /** Takes an event in, to be written soon. Never throws, and does not wait for the disk to flush. A text that is
   *  too long for a line is cut: the thread's nodes have the whole. */
  append(event: LiveEvent): void;
  /** Writes what waits. Later events are dropped. */
  close(): void;
};
