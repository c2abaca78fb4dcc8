import type { Usage } from "./step-run.ts";

/** What one run used, and by whom. */
export type Spent = {
  /** null: it is in the record of a thread's end, for the run that failed it or for the engine's own models. */
  role: string | null;
  /** Name in `config.agents`, or else the adapter's own. */
  agent: string;
  /** null: the agent does not report it. */
  model: string | null;
  usage: Usage;
};

export const SPENT_BY = ["workflow", "role", "agent", "model", "day"] as const;
export type SpentBy = (typeof SPENT_BY)[number];

/** What was used by one workflow, role, agent or model, or on one day. */
export type SpentSum = {
  /** A day as `2026-11-22`, UTC. null: no role, or no known model. */
  key: string | null;
  /** How many runs reported what they used. */
  runs: number;
  usage: Usage;
};
