import type { ThreadEnding, ThreadLabels } from "./thread-record.ts";
import type { Wait } from "./wait.ts";

/** What listeners can be told: a thread waits for a person, failed, or completed. */
export const NOTICE_EVENTS = ["waits", "failed", "completed"] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** Something that happened to a thread. */
export type Notice = {
  /** Unique, and the same however often the notice is delivered. */
  id: string;
  event: NoticeEvent;
  /** When it happened. Unix milliseconds. */
  at: number;
  threadId: string;
  workflow: string;
  title: string | null;
  labels: ThreadLabels;
  parentThread: string | null;
  /** What the thread waits for; null unless it waits. */
  wait: Wait | null;
  /** How it ended; null while it waits. */
  ending: ThreadEnding | null;
};

/** A notice that a listener has yet to be told. */
export type PendingNotice = Pick<
  Notice,
  "id" | "event" | "at" | "threadId" | "workflow" | "labels"
> & {
  listener: string;
  /** The notice as JSON: the same bytes at each attempt. */
  body: string;
  /** How often it was tried. */
  attempts: number;
  /** When it is tried next. Unix milliseconds. */
  dueAt: number;
  /** Why the last attempt failed; null: there was none. */
  fault: string | null;
};
