import type { EncodedNode, NodeStore } from "./cas-store.ts";
import type { Failure } from "./failure.ts";
import type { SignalKind } from "./thread-record.ts";
import type { HeadMove } from "./thread-store.ts";
import type { CheckReport, Problem } from "./views.ts";

/** Where the blobs of a storage root end up: one file each, or rows of its index. */
export type StoreKind = "files" | "packed";

/** All that is immutable in a storage root, and the one way in which a step and its head become durable together.
 *  Where the blobs are is an internal matter.
 *
 *  1. A published step is durable, and can be read by every process. Some of its blobs may still be on their way to
 *     their final place: `flush` waits for those of this process, `recover` takes over those of a killed owner.
 *  2. Each call can be made at any time, by many processes: what one of them needs is never missing, not even
 *     while blobs are collected, moved or flushed.
 *  3. A crash at any instant of any call loses nothing that was acknowledged, and another call completes the work. */
export type RootStore = NodeStore & {
  /** Stores a step's nodes and moves the head to it: both, or neither. Returns the signals that wait for the owner.
   *  Throws what `putBatch` and `ThreadStore.advance` throw. */
  publish(nodes: readonly EncodedNode[], move: HeadMove): Promise<readonly SignalKind[]>;
  /** Takes over what the last owner of a thread left on its way when it was killed, back from the thread's head. */
  recover(head: string): Promise<void>;
  /** Waits until nothing of this process is on its way. Returns why that failed, or null; never rejects. No failure
   *  harms a step: what is on its way stays there, and is tried again. */
  flush(): Promise<Failure | null>;

  /** Quarantines what no thread reaches, neither one in the index nor one that it has lost, and deletes what earlier
   *  calls quarantined. Throws `CAS_MISSING`, `CAS_CORRUPT` or
   *  `CAS_NOT_A_NODE` before anything is touched when a blob that a thread needs is broken. */
  collect(request: CollectRequest): Promise<CollectReport>;
  /** Hashes every blob again, and looks for everything that the roots reach. Changes nothing. */
  check(roots: readonly string[]): Promise<CheckReport>;
  /** Moves the existing blobs. Where new ones go was decided when the store was opened. `USAGE` where blobs cannot be
   *  files. */
  move(to: StoreKind): Promise<MoveReport>;

  /** Flushes. What cannot be flushed stays on its way. */
  close(): Promise<void>;
};

export type CollectRequest = {
  /** Unix milliseconds. */
  nowMs: number;
  /** How long dead blobs stay in quarantine at least; null: the default, an hour. */
  graceMs: number | null;
  /** Count only; nothing is moved or deleted. */
  dryRun: boolean;
};

export type CollectReport = {
  scannedThreads: number;
  /** Blobs that threads reach. */
  activeRefs: number;
  /** Dead blobs set aside by this run, where they are still found. */
  setAside: number;
  /** Blobs that earlier runs set aside and that are reachable now; back in the store. */
  restoredEntries: number;
  /** Blobs that earlier runs set aside, deleted for good. */
  deletedEntries: number;
};

export type MoveReport = {
  moved: number;
  /** Blobs that are too long for a row; they stay files. */
  tooLong: number;
  problems: Problem[];
};
