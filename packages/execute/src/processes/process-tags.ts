/** How the processes of a thread are told apart from all others; the rules are in `run-tag`. */

import { isThreadId, type LeaseRef, type StepGroup } from "@uncaged/workflow-protocol";

/** Matches every process that any lease of a thread starts for a role. */
export function threadTag(threadId: string): string {
  return `${threadId}:`;
}

/** Matches the processes that one lease starts. */
export function leaseTag({ threadId, fence }: { threadId: string; fence: number }): string {
  return `${threadTag(threadId)}${fence}`;
}

/** Tag of the processes that one step starts; a member of a group has a separate one. */
export function stepTag(step: {
  threadId: string;
  fence: number;
  group: StepGroup | undefined;
}): string {
  const { group } = step;
  return group === undefined ? leaseTag(step) : `${leaseTag(step)}:${group.entry}.${group.index}`;
}

/** The lease whose step a process with this tag belongs to; null: it is a member's, or no step's. Each process has a name
 *  of its own at the end of its tag, without a dot. */
export function stepOwner(tag: string | undefined): LeaseRef | null {
  const [threadId = "", fence = "", member] = tag?.split(":") ?? [];
  if (!isThreadId(threadId) || !/^\d{1,15}$/.test(fence) || member?.includes(".")) return null;
  return { threadId, fence: Number(fence) };
}

/** Tag of a thread's background runners themselves. `threadTag` does not match it, so a runner that takes over ends what
 *  its predecessor started, but lets the predecessor itself notice that it was replaced. */
export function runnerTag(threadId: string): string {
  return `${threadId}/runner`;
}

/** The thread that a tag is about, if it is one of ours. */
export function threadOf(tag: string): string {
  return tag.slice(0, THREAD_ID_LENGTH);
}

const THREAD_ID_LENGTH = 26;
