import type { ProcessIdentity } from "@uncaged/workflow-protocol";
import { livenessOf } from "@uncaged/workflow-util";

/** Ends a process that owns or owned a thread; never our own, nor one that is not certainly that process. */
export function endOwner(owner: ProcessIdentity): void {
  if (owner.pid === process.pid || livenessOf(owner) !== "alive") return;
  try {
    process.kill(owner.pid, "SIGKILL");
  } catch {
    // It ended just now, or is not ours to end: its fence keeps it from writing.
  }
}
