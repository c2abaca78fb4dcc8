import type { AgentFault } from "./agent-error.ts";
import type { JsonObject } from "./json.ts";
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
};

export type ModeratorContext = {
  threadId: string;
  depth: number;
  /** The version that the thread runs. Rules cannot see it: an upgrade must not change their verdict on the past. */
  bundleHash: string;
  start: StartStep;
  steps: readonly ModeratorStep[];
};
