import type { StepOutcome } from "./limits.ts";
import type { StepRoute, StepRun } from "./step-run.ts";
import type { ThreadStatus } from "./thread-status.ts";
import type { Suspension } from "./workflow-runtime.ts";

/** The shapes that `--json` prints. Keys may be added, none renamed. */
export type StepView = {
  /** 1-based. */
  round: number;
  role: string;
  meta: Record<string, unknown>;
  content: string;
  stateHash: string;
  contentHash: string;
  timestamp: number;
  childThread: string | null;
  outcome: StepOutcome;
  route: (Pick<StepRoute, "from" | "condition"> & Partial<StepRoute>) | null;
  run: Partial<StepRun> | null;
};

/** From where on the thread runs another version of its workflow. */
export type UpgradeView = {
  /** Round that it comes after; 0: before the first. */
  afterRound: number;
  /** Hashes of the bundles. */
  from: string;
  to: string;
  stateHash: string;
  timestamp: number;
};

export type ThreadSummary = {
  threadId: string;
  workflow: string;
  bundleHash: string;
  /** As seen now: a thread whose runner is certainly gone is `idle`. */
  status: ThreadStatus;
  /** The runner went away without a word, or has not been heard of for longer than its lease. */
  stale: boolean;
  head: string;
  stepCount: number;
  /** What it asks a person; null unless it is suspended. */
  suspended: Suspension | null;
  updatedAt: number;
};

export type ThreadView = Pick<
  ThreadSummary,
  "threadId" | "workflow" | "bundleHash" | "status" | "stale" | "head"
> & {
  start: {
    hash: string;
    prompt: string;
    timestamp: number;
    depth: number;
    parentState: string | null;
  };
  steps: StepView[];
  upgrades: UpgradeView[];
  suspended: Suspension | null;
  result: ThreadResult | null;
  /** What its end node records besides: of a role whose failure ended it, what that run cost and what was seen of it. Null
   *  while it has not ended. */
  end: { run: Partial<StepRun> | null } | null;
  forkedFrom: { threadId: string; stateHash: string } | null;
  cwd: string;
};

export type ThreadResult = {
  returnCode: number;
  summary: string /** The end node. */;
  rootHash: string;
};

export type Problem = { code: string; hash: string; message: string };
export type CheckReport = { ok: boolean; checked: number; problems: Problem[] };
export type GcReport = {
  scannedThreads: number;
  activeRefs: number;
  /** Dead blobs that were set aside. */
  setAside: number;
  /** Those that were deleted for good. */
  deletedEntries: number;
};
