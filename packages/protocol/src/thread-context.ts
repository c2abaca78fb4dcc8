import type { AgentFault } from "./agent-error.ts";
import type { Start } from "./constants.ts";
import type { StepGroup } from "./group.ts";
import type { RoleMeta } from "./role.ts";
import type { StepProof } from "./step-proof.ts";
import type { StepRun } from "./step-run.ts";

export type StartStep = {
  role: Start;
  /** The prompt the thread was started with. */
  content: string;
  meta: Record<string, never>;
  /** Unix milliseconds. */
  timestamp: number;
  parentState: string | null;
};

/** One completed step: a union with one member per role, so that `step.role === "coder"` narrows `meta`. */
export type RoleStep<M extends RoleMeta = RoleMeta> = {
  [K in keyof M & string]: {
    role: K;
    meta: M[K];
    contentHash: string;
    refs: readonly string[];
    /** Unix milliseconds. */
    timestamp: number;
    childThread: string | null;
    /** How the role failed; its meta is then `{ outcome, reason }`. Left out when it did not fail. */
    outcome?: AgentFault;
    /** Left out by a step that is no member of a group. */
    group?: StepGroup;
    run: StepRun | null;
    /** Left out while no step of the thread has been checked. */
    proof?: StepProof;
  };
}[keyof M & string];

export type ThreadContext<M extends RoleMeta = RoleMeta> = {
  threadId: string;
  depth: number;
  bundleHash: string;
  start: StartStep;
  steps: RoleStep<M>[];
};
