import type { RootStore, ThreadStore } from "@uncaged/workflow-protocol";

/** A backend as the suite needs it: an empty storage root, its threads, and a hand that reaches behind its back. */
export type RootStoreHarness = {
  store: RootStore;
  threads: ThreadStore;
  /** The same root as another process opens it. */
  reopen(): RootStore;
  /** Replaces the stored bytes of a blob by others, as a failing disk would. */
  damage(hash: string, bytes: Buffer): Promise<void>;
};

/** One promise of the port. `run` rejects when the store of the harness does not keep it. */
export type RootStoreCase = {
  /** A sentence about behaviour. */
  name: string;
  /** Needs a fresh harness each time. */
  run(harness: RootStoreHarness): Promise<void>;
};
