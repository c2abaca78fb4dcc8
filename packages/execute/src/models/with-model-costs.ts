/** Where it is kept what no role's run has: what the engine's own models used, and attempts that made no step. In the
 *  record of the next run, for budgets are read off those.
 *
 *  1. A step has what its extraction used, and what the supervisor used who looked before it.
 *  2. The end node has what was used since the last step. Where it has no role's record, it has one of the
 *     engine's own.
 *  3. A step without a record has nowhere to keep it: what watching used waits for the next record. */

import { type StepRun, sumUsage, type Usage } from "@uncaged/workflow-protocol";
import type { LostAttempts } from "../chain/lost-attempts.ts";

/** Each returns what was used since it was asked last; null: nothing. */
export type ModelCosts = {
  /** By extraction, for the role that runs. */
  extraction: () => Usage | null;
  /** By supervisor and summarizer, for the thread. */
  watching: () => Usage | null;
  /** By attempts that were cut off before they made a step. */
  lost: () => LostAttempts | null;
};

/** The record of a step, with what its models used. */
export function withModelCosts(run: StepRun | null, costs: ModelCosts): StepRun | null {
  const extraction = costs.extraction();
  if (run === null) return null;
  return withLost(withWatching(withExtraction(run, extraction), costs.watching()), costs.lost());
}

/** The record of an end node; null: there is nothing to record. */
export function endRecord(
  run: StepRun | null,
  costs: ModelCosts,
  at: { nowMs: number; cwd: string },
): StepRun | null {
  const extraction = costs.extraction();
  const watching = costs.watching();
  const lost = costs.lost();
  const lostUsage = lost === null ? null : usageOf(lost);
  if (run === null && extraction === null && watching === null && lostUsage === null) return null;
  return withLost(withWatching(withExtraction(run ?? ownRecord(at), extraction), watching), lost);
}

function withLost(run: StepRun, lost: LostAttempts | null): StepRun {
  if (lost === null) return run;
  const usage = usageOf(lost);
  const attempts = lost.begun === 1 ? "an attempt" : `${lost.begun} attempts`;
  const told = usage === null ? "they reported no usage" : "the usage includes what they reported";
  const note = `cut off before this run, without a step: ${attempts}; ${told}`;
  return { ...run, usage: sumUsage(run.usage, usage), notes: [...(run.notes ?? []), note] };
}

function usageOf({ spent }: LostAttempts): Usage | null {
  return spent.map(({ usage }) => usage).reduce<Usage | null>(sumUsage, null);
}

function withExtraction(run: StepRun, cost: Usage | null): StepRun {
  return withCost(run, cost, "the usage includes extraction by a model");
}

function withWatching(run: StepRun, cost: Usage | null): StepRun {
  return withCost(run, cost, "the usage includes models that watch over the thread or sum it up");
}

function withCost(run: StepRun, cost: Usage | null, note: string): StepRun {
  if (cost === null) return run;
  return { ...run, usage: sumUsage(run.usage, cost), notes: [...(run.notes ?? []), note] };
}

function ownRecord({ nowMs, cwd }: { nowMs: number; cwd: string }): StepRun {
  return {
    agent: { name: "engine", version: "built-in" },
    session: null,
    prompt: null,
    startedAt: nowMs,
    completedAt: nowMs,
    usage: null,
    cwd,
    evidence: [],
  };
}
