/** Messages between the two threads of an owner. Both sides are our own code, of the same version. */
import type { Lease, ProcessIdentity } from "@uncaged/workflow-protocol";
import type { Interruption } from "./interruption.ts";

export type ToKeeper =
  | { kind: "keep"; lease: Lease; ageMs: number; replaced: ProcessIdentity | null }
  | { kind: "drop"; threadId: string; fence: number }
  /** Reply to `ask`: the main thread is not stuck. */
  | { kind: "here" }
  | { kind: "close" };

export type FromKeeper =
  | { kind: "interrupt"; threadId: string; fence: number; reason: Interruption }
  | { kind: "ask" };

/** Identifies a lease among those of a process. */
export function leaseKey({ threadId, fence }: { threadId: string; fence: number }): string {
  return `${threadId}:${fence}`;
}
