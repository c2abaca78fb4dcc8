import type {
  Dispatch,
  LiveLog,
  RootStore,
  StepGroup,
  ThreadRecord,
  ThreadStore,
  Workers,
  WorkflowRegistry,
} from "@uncaged/workflow-protocol";
import type { Keeper } from "../keeper/keeper.ts";

/** What every operation of the engine works with: the two halves of a storage root and its location. */
export type Engine = {
  /** Absolute path of the storage root. */
  root: string;
  /** Immutable half: nodes by hash, and steps published together with the head that names them. */
  cas: RootStore;
  /** Mutable half: heads, statuses, leases, signals. */
  store: ThreadStore;
  /** Which threads wait for room, and who has it. */
  dispatch: Dispatch;
  /** Who takes threads, and which. */
  workers: Workers;
  /** Which bundle each workflow name stands for. */
  registry: WorkflowRegistry;
  /** What agents say and do, for watchers. */
  live: LiveLog;
  /** Renews the leases that this process takes, and reads the signals for their threads. */
  keeper: Keeper;
  /** Unix milliseconds. */
  now: () => number;
  /** `file:` URL from which the engine's own `@uncaged/*` packages resolve, for bundles that import one that the
   *  storage root has not installed. */
  packagesBase: string;
  /** Returns the `traceparent` of each step of a thread; left out: nobody traces. */
  traceparents?: (
    thread: ThreadRecord,
  ) => Promise<(step: { round: number; group?: StepGroup | undefined }) => string>;
};
