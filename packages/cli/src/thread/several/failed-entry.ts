import type { Failure } from "@uncaged/workflow-protocol";

/** Entry of a thread that could not be served, where a document lists several threads. `threadId`: as it was named
 *  when there is no such thread. */
export function failedEntry(
  threadId: string,
  { code, message, hint }: Failure,
): { threadId: string; error: Pick<Failure, "code" | "message" | "hint"> } {
  return { threadId, error: { code, message, hint } };
}
