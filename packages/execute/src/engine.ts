import type { RootStore } from "@uncaged/workflow-cas";
import type { BlobTable, LiveLog, NodeStore, ThreadStore } from "@uncaged/workflow-protocol";
import type { Keeper } from "./keeper.ts";
import type { Publish } from "./publish.ts";

/** What every verb of the engine works with: the two halves of a storage root and where it is. */
export type Engine = {
  /** Absolute path of the storage root. */
  root: string;
  /** Immutable half: nodes by hash. */
  cas: NodeStore;
  /** Mutable half: heads, statuses, leases, signals. */
  store: ThreadStore;
  /** What agents say and do, for whoever watches. */
  live: LiveLog;
  /** Both at once: a step and the head that names it. */
  publish: Publish;
  /** Blobs that are rows of the index; null when there can be none. */
  table: BlobTable | null;
  /** Writes those of them out as files that are only on their way; null where none are. */
  behind: RootStore["behind"];
  /** Renews the leases that this process takes, and hears the signals for their threads. */
  keeper: Keeper;
  /** Unix milliseconds. */
  now: () => number;
  /** `file:` URL from which the engine's own `@uncaged/*` packages resolve, for bundles that
   *  import one the storage root has not installed. */
  packagesBase: string;
};
