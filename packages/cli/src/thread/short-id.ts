/** The end of a thread's id, which commands take in place of all of it: its beginning is the time, which threads
 *  of one hour share. */
export function shortId(threadId: string): string {
  return threadId.slice(-8);
}
