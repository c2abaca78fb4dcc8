/** What there is to tell of a change to a thread. */
import {
  endingOf,
  isPersonWait,
  type Notice,
  type ThreadRecord,
  titleOf,
  type Wait,
  waitsOf,
} from "@uncaged/workflow-protocol";

/** How long it is remembered that a listener was told, so that it is not told the same again. */
export const REMEMBERED_MS: number = 30 * 24 * 60 * 60 * 1_000;

/** Of a thread that was just suspended or has just ended. Nobody is told of an end that somebody has asked for, nor of
 *  that of a child: it is its parent's matter. */
export function noticesOf(thread: ThreadRecord): Notice[] {
  const { threadId, status, updatedAt: at } = thread;
  if (status === "suspended") return waitsOf(thread).map((wait) => noticeOfWait(thread, wait, at));
  if ((status !== "failed" && status !== "completed") || thread.parentThread !== null) return [];
  const id = `${threadId}.${status}`;
  return [{ id, event: status, at, ...about(thread), wait: null, ending: endingOf(thread) }];
}

export function noticeOfWait(thread: ThreadRecord, wait: Wait, at: number): Notice {
  const id = `${thread.threadId}.waits.${waitKey(wait, thread.head)}`;
  return { id, event: "waits", at, ...about(thread), wait, ending: null };
}

function about(
  thread: ThreadRecord,
): Pick<Notice, "threadId" | "workflow" | "title" | "labels" | "parentThread"> {
  const { threadId, workflow, labels, parentThread } = thread;
  return { threadId, workflow, title: titleOf(thread), labels, parentThread };
}

/** The same as long as the same is asked. */
function waitKey(wait: Wait, head: string): string {
  if (!isPersonWait(wait)) return head;
  const member = wait.member === undefined ? "" : `.${wait.member}`;
  return `${wait.since}.${wait.role}${member}`;
}
