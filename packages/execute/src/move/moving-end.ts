import type { LiveLog, RootStore, ThreadStore, WorkflowRegistry } from "@uncaged/workflow-protocol";
import type { HistoryRecords, TableCopy } from "@uncaged/workflow-store";

export type BundleFile = { name: string; bytes: Uint8Array };

/** Bundles by the SHA-256 of their modules. */
export type MovingBundles = {
  list(): Promise<string[]>;
  get(sha256: string): Promise<BundleFile[]>;
  put(sha256: string, files: readonly BundleFile[]): Promise<void>;
};

/** A root on its way, at either end. */
export type MovingEnd = {
  /** Where it is, in words that are equal when the place is. */
  place: string;
  threads: ThreadStore;
  cas: RootStore;
  /** Everything of the index but its blobs. */
  tables: TableCopy;
  registry: WorkflowRegistry;
  bundles: MovingBundles;
  live: LiveLog;
  history(): Promise<HistoryRecords>;
  /** The time by which its leases expire, Unix milliseconds. */
  now(): Promise<number>;
  close(): Promise<void>;
};

/** Nobody else changes it until it is closed. */
export type MovingSource = MovingEnd & {
  /** Marks it as moved to `place`. From then on nobody changes it at all. */
  leave(place: string): Promise<void>;
};

type MovingTarget = MovingEnd & {
  addHistory(records: HistoryRecords): Promise<void>;
  /** After the last row was copied. */
  settle(): Promise<void>;
};

/** Where a root is to be. */
export type Destination = {
  place: string;
  /** `unfinished`: a move from the place `from` has begun. `in use`: what to do about it. */
  state: { kind: "new" } | { kind: "unfinished"; from: string } | { kind: "in use"; hint: string };
  /** Marks it as not whole, unless it is marked. */
  open(from: string): Promise<MovingTarget>;
  /** Removes the mark: it is whole. Done again, it changes nothing. */
  arrived(): Promise<void>;
  /** Also closes what `open` has opened. */
  close(): Promise<void>;
};
