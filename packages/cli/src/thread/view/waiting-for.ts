import type { Suspension } from "@uncaged/workflow-protocol";

/** The prefix before the words of a thread that waits for a person. */
export function waitingFor({ role, kind }: Suspension): string {
  return kind === "limit" ? "waits:" : `${role} asks:`;
}
