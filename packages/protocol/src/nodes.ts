import type { AgentFault } from "./agent-error.ts";
import type { StepGroup } from "./group.ts";
import type { JsonObject } from "./json.ts";
import type { StepProof } from "./step-proof.ts";
import type { StepRoute, StepRun } from "./step-run.ts";
import type { Machine, StartFiles, StepWorkspace } from "./step-workspace.ts";

/** Maps each hash that a node directly depends on to the SHA-256 (hex) of the bytes behind it. */
export type Digests = { readonly [hash: string]: string };

export type ContentNode = { type: "content"; payload: string; refs: readonly string[] };

export type StartPayload = {
  /** Name the workflow was registered under. */
  name: string;
  /** Hash of the bundle. */
  hash: string;
  depth: number;
  /** State of the parent thread that this child thread was started from. */
  parentState: string | null;
  /** Each external package of the bundle and the version it resolved to. */
  externals: { readonly [packageName: string]: string };
  digests: Digests;
  /** Left out in a root that is in its folder, and by a thread that begins in no repository. */
  files?: StartFiles;
  /** The only machine that may run the thread, because it works in what is there alone: the worktree of a task. Left out
   *  by others. */
  staysOn?: Machine;
};
/** refs: prompt content, then `parentState` if set. */
export type StartNode = { type: "start"; payload: StartPayload; refs: readonly string[] };

export type StatePayload = {
  role: string;
  meta: JsonObject;
  start: string;
  content: string;
  /** Skip list: the parent first, then the ancestors at distances 2, 4, 8 … 1024, as far as they exist. */
  ancestors: readonly string[];
  compact: null;
  /** Unix milliseconds. */
  timestamp: number;
  childThread: string | null;
  digests: Digests;
  /** Which rule led here; null when the workflow function is written by hand. */
  route: StepRoute | null;
  /** How the role failed; left out when it did not. */
  outcome?: AgentFault;
  /** Left out by a step that is no member of a group. */
  group?: StepGroup;
  /** Left out by a step outside of a repository, and where snapshots are off or failed. A person's has it, with the files
   *  as that person found them, only when a step of the thread was checked. */
  workspace?: StepWorkspace;
  /** Left out while no step of the thread has been checked. */
  proof?: StepProof;
} & Partial<StepRun>;
/** refs: content, start, every ancestor, artifacts, then prompt and evidence of the run record. */
export type StateNode = { type: "state"; payload: StatePayload; refs: readonly string[] };

export type CasNode = ContentNode | StartNode | StateNode;
