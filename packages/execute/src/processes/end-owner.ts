import type { ProcessIdentity } from "@uncaged/workflow-protocol";
import { livenessOf } from "@uncaged/workflow-util";

/** Ends a process that owns or owned a thread. Never ends our own process, nor one that may be a different
 *  process. */
export function endOwner(owner: ProcessIdentity): void {
  if (owner.pid === process.pid || livenessOf(owner) !== "alive") return;
  try {
    process.kill(owner.pid, "SIGKILL");
  } catch {
    // It has just ended, or we may not end it: its fence keeps it from writing.
  }
}
