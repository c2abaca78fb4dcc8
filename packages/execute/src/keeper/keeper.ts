import type { Failure, Lease, ProcessIdentity } from "@uncaged/workflow-protocol";
import type { Interruption } from "./interruption.ts";

/** Renews leases, reads signals and guards what was started, for as long as threads are owned. */
export type Keeper = {
  keep(request: {
    lease: Lease;
    /** How long ago the store was asked for it, in milliseconds. */
    ageMs: number;
    /** The previous owner, if it may still be running: it gets time to notice, and is then ended. */
    replaced: ProcessIdentity | null;
    /** May be called more than once; the first reason counts. */
    interrupt: (reason: Interruption) => void;
  }): Kept;
  /** Stops keeping this lease. */
  close(): Promise<void>;
};

type Kept = {
  stop(): void;
  /** Why the lease is no longer kept although nobody took it; null: it is kept, or somebody else has it. */
  fault(): Failure | null;
};
