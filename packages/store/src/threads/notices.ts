/** The notices that a change to a thread causes. */
import {
  endingOf,
  isPersonWait,
  type Notice,
  type ThreadRecord,
  titleOf,
  type Wait,
  waitsOf,
} from "@uncaged/workflow-protocol";

/** How long delivered notices are remembered, so that a listener is not told the same thing again. */
export const REMEMBERED_MS: number = 30 * 24 * 60 * 60 * 1_000;

/** For a thread that was just suspended or has just ended. There is no notice of an end that somebody asked for, or of
 *  the end of a child, which concerns only its parent. */
export function noticesOf(thread: ThreadRecord): Notice[] {
  const { threadId, status, updatedAt: at } = thread;
  if (status === "suspended")
    return waitsOf(thread)
      .filter(({ kind }) => kind !== "coordinator")
      .map((wait) => noticeOfWait(thread, wait, at));
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

/** Stays the same as long as the same thing is asked. */
function waitKey(wait: Wait, head: string): string {
  if (!isPersonWait(wait)) return head;
  const member = wait.member === undefined ? "" : `.${wait.member}`;
  return `${wait.since}.${wait.role}${member}`;
}
