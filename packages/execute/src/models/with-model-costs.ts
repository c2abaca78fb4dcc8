/** Where usage goes that no role's run reported: by the engine's own models, and by attempts that produced no step. It
 *  goes into the record of the next run, because budgets are computed from those records.
 *
 *  1. A step includes what its extraction used, and what the supervisor used just before it.
 *  2. The end node includes what was used since the last step. If no role's record is at hand, the engine adds one of
 *     its own.
 *  3. A step without a record cannot hold it: the supervisor's usage then waits for the next record. */

import { type StepGroup, type StepRun, sumUsage, type Usage } from "@uncaged/workflow-protocol";
import type { Attempts } from "../chain/lost-attempts.ts";

/** Each returns the usage since its last call; null: nothing. */
export type ModelCosts = {
  /** Of extraction, for the role that runs. */
  extraction: () => Usage | null;
  /** Of supervisor and summarizer, for the thread. */
  watching: () => Usage | null;
  /** Of attempts that were cut off before they produced a step; for a member of a group, only its own. */
  lost: (member?: number) => Attempts | null;
};

/** The record of a step, including the usage of its models. `group`: which member of a group it is. */
export function withModelCosts(
  run: StepRun | null,
  costs: ModelCosts,
  group?: StepGroup,
): StepRun | null {
  const extraction = costs.extraction();
  if (run === null) return null;
  return withLost(
    withWatching(withExtraction(run, extraction), costs.watching()),
    costs.lost(group?.index),
  );
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

function withLost(run: StepRun, lost: Attempts | null): StepRun {
  if (lost === null) return run;
  const usage = usageOf(lost);
  const attempts = lost.begun === 1 ? "an attempt" : `${lost.begun} attempts`;
  const told = usage === null ? "they reported no usage" : "the usage includes what they reported";
  const note = `cut off before this run, without a step: ${attempts}; ${told}`;
  return { ...run, usage: sumUsage(run.usage, usage), notes: [...(run.notes ?? []), note] };
}

function usageOf({ spent }: Attempts): Usage | null {
  return spent.map(({ usage }) => usage).reduce<Usage | null>(sumUsage, null);
}

function withExtraction(run: StepRun, cost: Usage | null): StepRun {
  return withCost(run, cost, "the usage includes extraction by a model");
}

function withWatching(run: StepRun, cost: Usage | null): StepRun {
  return withCost(run, cost, "the usage includes models that supervise or summarize the thread");
}

/** The record of a coordinating step: limits hold for it and its workers together. */
export function withWorkers(run: StepRun | null, used: Usage | null): StepRun | null {
  return run === null ? null : withCost(run, used, "the usage includes that of its workers");
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
