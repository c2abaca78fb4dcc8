import type { AgentFault } from "./agent-error.ts";
import type { StepGroup } from "./group.ts";
import type { JsonObject } from "./json.ts";
import type { StepProof } from "./step-proof.ts";
import type { StartStep } from "./thread-context.ts";

export type ModeratorRule = {
  from: string;
  to: string;
  /** JSONata; null always matches. */
  when: string | null;
};

/** A step as rules see it. */
export type ModeratorStep = {
  role: string;
  meta: JsonObject | Record<string, unknown>;
  contentHash: string;
  refs: readonly string[];
  timestamp: number;
  /** How the role failed; left out when it did not. */
  outcome?: AgentFault;
  /** Left out by a step that is no member of a group. */
  group?: StepGroup;
  /** Left out while no step of the thread has been checked. */
  proof?: StepProof;
};

export type ModeratorContext = {
  threadId: string;
  depth: number;
  /** The version that the thread runs. Rules cannot see it: an upgrade must not change their verdict on the past. */
  bundleHash: string;
  start: StartStep;
  steps: readonly ModeratorStep[];
  /** A group without members, which has joined after these steps. */
  emptyGroup?: string;
};
