import { FALLBACK, type RoleStep, type StepRoute } from "@uncaged/workflow-protocol";
import { NO_MATCH } from "./record-route.ts";

/** Longer paths are cut: a summary is read in a list. */
const RUNS_SHOWN = 12;
const META_CHARS = 300;

/** What happened, computed from the steps alone: the same thread always gets the same words.
 *
 *      5 steps: planner → coder ×2 → reviewer → committer; ended by done.
 *      committer: {"commit":"1f3c9d2"} */
export function summaryOf(steps: readonly RoleStep[], end: StepRoute): string {
  const last = steps.at(-1);
  if (last === undefined) return `Ended before the first step${reason(end)}.`;
  const count = steps.length === 1 ? "1 step" : `${steps.length} steps`;
  return `${count}: ${path(steps)}${reason(end)}.\n${last.role}: ${cut(JSON.stringify(last.meta))}`;
}

function path(steps: readonly RoleStep[]): string {
  const runs: { role: string; times: number }[] = [];
  for (const { role } of steps) {
    const run = runs.at(-1);
    if (run?.role === role) run.times += 1;
    else runs.push({ role, times: 1 });
  }
  const words = runs.map(({ role, times }) => (times === 1 ? role : `${role} ×${times}`));
  if (words.length <= RUNS_SHOWN) return words.join(" → ");
  const half = RUNS_SHOWN / 2;
  return [...words.slice(0, half), "…", ...words.slice(-half)].join(" → ");
}

function reason({ condition, from }: StepRoute): string {
  if (condition === NO_MATCH) return `; no rule of ${from} matched`;
  return condition === FALLBACK ? "" : `; ended by ${condition}`;
}

function cut(text: string): string {
  return text.length <= META_CHARS ? text : `${text.slice(0, META_CHARS)}…`;
}
