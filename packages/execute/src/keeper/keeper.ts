import type { Failure, Lease, ProcessIdentity } from "@uncaged/workflow-protocol";
import type { Interruption } from "./interruption.ts";

/** Renews leases and hears signals, for as long as their threads are owned. */
export type Keeper = {
  keep(tenure: {
    lease: Lease;
    /** Whose lease was taken though it may still be there: it is given time to find out, and is then ended. */
    replaced: ProcessIdentity | null;
    /** May be called more than once; the first reason counts. */
    interrupt: (reason: Interruption) => void;
  }): Kept;
  /** Keeps nothing any more. */
  close(): Promise<void>;
};

type Kept = {
  stop(): void;
  /** Why the lease is not kept any more, though nobody took it; null: it is kept, or somebody has it. */
  fault(): Failure | null;
};
