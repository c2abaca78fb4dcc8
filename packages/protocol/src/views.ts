import type { WorkerEnd } from "./coordination.ts";
import type { QueuePlace } from "./dispatch.ts";
import type { StepGroup } from "./group.ts";
import type { JsonValue } from "./json.ts";
import type { StepOutcome } from "./limits.ts";
import type { StepProof } from "./step-proof.ts";
import type { StepRoute, StepRun, Usage } from "./step-run.ts";
import type { StepWorkspace } from "./step-workspace.ts";
import type { ThreadActivity } from "./thread-activity.ts";
import type { ThreadLabels } from "./thread-record.ts";
import type { ThreadStatus } from "./thread-status.ts";
import type { Wait } from "./wait.ts";
import type { Unrecorded } from "./workflow-runtime.ts";

/** The shapes that `--json` prints. Keys may be added, never renamed. */
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
  /** Left out by a step that is no member of a group. */
  group?: StepGroup;
  route: (Pick<StepRoute, "from" | "condition"> & Partial<StepRoute>) | null;
  run: Partial<StepRun> | null;
  /** Left out by a step whose files were not recorded. */
  workspace?: StepWorkspace & {
    /** Somebody changed the files between the last step and this one. Left out: nobody, or that is not known. */
    changedOutside?: true;
  };
  /** Left out while no step of the thread has been checked. */
  proof?: StepProof;
  /** Left out by a step that started none. */
  workers?: WorkerView[];
};

/** A worker of a coordinating step. */
export type WorkerView = {
  /** `w1`, `w2`, … per step. */
  id: string;
  title: string;
  /** null: a step that was cut off had not made it yet. */
  threadId: string | null;
  /** How its last turn ended; until then, the status of its thread. */
  status: WorkerEnd | ThreadStatus;
  /** How its last turn ended, in one line; null: it has not. */
  summary: string | null;
  usage: Usage | null;
};

/** The point from which the thread runs another version of its workflow. */
export type UpgradeView = {
  /** The round before it; 0: before the first. */
  afterRound: number;
  /** Bundle hashes. */
  from: string;
  to: string;
  stateHash: string;
  timestamp: number;
};

export type ThreadSummary = {
  threadId: string;
  /** Its title, or else the first line of its prompt; null for a thread created by an older version. */
  title: string | null;
  labels: ThreadLabels;
  workflow: string;
  bundleHash: string;
  /** The current status: a thread whose runner is certainly gone is `idle`. */
  status: ThreadStatus;
  /** The runner disappeared, or has not been heard from for longer than its lease. */
  stale: boolean;
  head: string;
  stepCount: number;
  /** What was used for it; null: nobody reported anything. */
  usage: Usage | null;
  /** What it waits for first; null unless it is suspended. */
  suspended: Wait | null;
  /** All that it waits for. */
  waits: readonly Wait[];
  /** Its place in the queue; null unless it is queued. */
  queue: QueuePlace | null;
  priority: number;
  pool: string;
  needs: readonly string[];
  updatedAt: number;
  /** Unix milliseconds; a fork's is that of the original. */
  startedAt: number;
  /** Null while it has not ended. */
  returnCode: number | null;
  /** Thread whose step runs this one as its child. */
  parentThread: string | null;
  depth: number;
  /** What the workflow's `result` said; left out where there is none. */
  result?: JsonValue;
};

export type ThreadView = Pick<
  ThreadSummary,
  | "threadId"
  | "title"
  | "labels"
  | "usage"
  | "workflow"
  | "bundleHash"
  | "status"
  | "stale"
  | "head"
  | "queue"
  | "priority"
  | "pool"
  | "needs"
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
  suspended: Wait | null;
  waits: readonly Wait[];
  result: ThreadResult | null;
  /** What else its end node records: for a thread ended by a role's failure, the cost of that run and its evidence.
   *  Null while the thread has not ended. */
  end: { run: Partial<StepRun> | null } | null;
  /** What was used since its last step and is not in any step: by the running step, or by attempts that were cut off. */
  unrecorded: Unrecorded[];
  forkedFrom: { threadId: string; stateHash: string } | null;
  cwd: string;
  /** What its current step is doing; null while none is under way. */
  activity: ThreadActivity | null;
  /** Of the step under way, or of one that ended the thread. Left out: it has none. */
  workers?: WorkerView[];
};

export type ThreadResult = {
  returnCode: number;
  summary: string /** The end node. */;
  rootHash: string;
} & RecordedResult;

/** What the `result` of a workflow said at the end of a thread, as its end node has it: the value, or why there is none.
 *  Neither if the workflow has no `result` or the thread did not complete. */
export type RecordedResult = { value?: JsonValue; error?: string };

export type Problem = { code: string; hash: string; message: string };
export type CheckReport = { ok: boolean; checked: number; problems: Problem[] };
