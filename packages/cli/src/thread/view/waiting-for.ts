import { isPersonWait, type Wait } from "@uncaged/workflow-protocol";

/** The prefix before the words of a thread that waits for a person. */
export function waitingFor(wait: Wait): string {
  if (isPersonWait(wait)) return `${wait.role}:`;
  return wait.kind === "limit" ? "waits:" : `${wait.role} asks:`;
}
