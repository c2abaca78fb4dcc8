/** How the processes of a thread are told from all others; `run-tag` has the rules. */

/** Of every process that any tenure of a thread starts for a role. */
export function threadTag(threadId: string): string {
  return `${threadId}:`;
}

/** Of those that one tenure starts, and of no other's. */
export function leaseTag({ threadId, fence }: { threadId: string; fence: number }): string {
  return `${threadTag(threadId)}${fence}`;
}

/** Of a thread's background runners themselves: `threadMark` does not stand for it, so a runner that takes over
 *  ends what its predecessor started and lets it find out by itself that it was replaced. */
export function runnerTag(threadId: string): string {
  return `${threadId}/runner`;
}
