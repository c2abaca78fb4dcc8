import type { RootStore, ThreadStore } from "@uncaged/workflow-protocol";

/** A backend as the suite needs it: an empty storage root, its threads, and direct access to its storage. */
export type RootStoreHarness = {
  store: RootStore;
  threads: ThreadStore;
  /** The same root, opened by another process. */
  reopen(): RootStore;
  /** Replaces the stored bytes of a blob, as a failing disk would. */
  damage(hash: string, bytes: Buffer): Promise<void>;
};

/** One promise of the port. `run` rejects when the harness's store breaks it. */
export type RootStoreCase = {
  /** A sentence about behaviour. */
  name: string;
  /** Needs a fresh harness each time. */
  run(harness: RootStoreHarness): Promise<void>;
};
