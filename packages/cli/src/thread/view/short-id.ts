/** The end of a thread's id, which commands accept in place of all of it: the beginning is the time, which threads
 *  of the same hour share. */
export function shortId(threadId: string): string {
  return threadId.slice(-8);
}
