import type { ProcessIdentity } from "./thread-record.ts";

/** The pool of threads that name none. */
export const DEFAULT_POOL = "default";

/** What a pool, and a label of a worker, may be called: it stands in SQL, in commands and in URLs. */
export const PLACE_NAME_PATTERN: RegExp = /^[a-z0-9](?:[a-z0-9._:-]{0,62}[a-z0-9])?$/i;

/** Where a thread may run: by a worker that serves its pool and has all these labels. */
export type Placement = { pool: string; needs: readonly string[] };

/** A process that takes threads, as it says itself. */
export type WorkerFacts = {
  /** Its own, in the whole root; never used again. */
  worker: string;
  process: ProcessIdentity;
  /** Name of its machine, for people. */
  host: string;
  pools: readonly string[];
  labels: readonly string[];
  /** Threads that it runs at once; null: as many as the limits allow. */
  atOnce: number | null;
  /** Of this program. */
  version: string;
};

/** Times are the store's, Unix milliseconds. */
export type WorkerRecord = WorkerFacts & {
  startedAt: number;
  /** When it last said that it is there. */
  seenAt: number;
  /** Since when it takes nothing new; null: it does. */
  drainingAt: number | null;
  /** It has been silent for longer than a lease lasts. */
  stale: boolean;
  /** The threads whose leases it took, by id. */
  threads: readonly string[];
};

/** Silent for so long, its threads may be another's. */
export const WORKER_STALE_MS = 15_000;
/** Silent for so long, it is forgotten. */
export const WORKER_GONE_MS = 300_000;

/** The workers of a storage root: who takes threads, and which.
 *
 *  1. A worker takes a thread only if it serves the thread's pool and has the labels that the thread needs, only as
 *     many at once as it said, and none while it drains: `ThreadStore.acquire` decides, in the transaction that takes the lease.
 *  2. Whether one is there is for the store's clock to say. */
export type Workers = {
  /** Adds the worker, or says that it is still there, and forgets those that are gone. True: it is to drain. */
  beat(worker: WorkerFacts & { nowMs: number }): Promise<boolean>;
  /** In the order of their starts. */
  list(nowMs: number): Promise<WorkerRecord[]>;
  /** Has it take nothing new. False: there is no such worker. */
  drain(request: { worker: string; nowMs: number }): Promise<boolean>;
  /** It has ended. */
  remove(worker: string): Promise<void>;
};
