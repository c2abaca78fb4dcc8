/** What the two threads of an owner say to each other. Both sides are ours and of one version. */
import type { Lease, ProcessIdentity } from "@uncaged/workflow-protocol";
import type { Interruption } from "./interruption.ts";

export type ToKeeper =
  | { kind: "keep"; lease: Lease; replaced: ProcessIdentity | null }
  | { kind: "drop"; threadId: string; fence: number }
  /** To `ask`: the thread that does the work is not stuck. */
  | { kind: "here" }
  | { kind: "close" };

export type FromKeeper =
  | { kind: "interrupt"; threadId: string; fence: number; reason: Interruption }
  | { kind: "ask" };

/** Names a tenure among those of a process. */
export function tenureKey({ threadId, fence }: { threadId: string; fence: number }): string {
  return `${threadId}:${fence}`;
}
