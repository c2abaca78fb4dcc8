import type { ThreadStore } from "@uncaged/workflow-protocol";

/** One promise of the port. `run` rejects when the store breaks it. */
export type ThreadStoreCase = {
  /** A sentence about behaviour. */
  name: string;
  /** Needs a fresh, empty store each time. */
  run(store: ThreadStore): Promise<void>;
};
