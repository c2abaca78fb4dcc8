import { type StepView, sumUsage, type Usage } from "@uncaged/workflow-protocol";
import { cost, tokens } from "../../terminal/money.ts";
import { duration } from "../../terminal/times.ts";

/** Total time, tokens and cost of agent runs, without what was not reported: `42 s`, `12.3k tokens`, `$0.0132`. */
export function spent(runs: readonly StepView["run"][]): string[] {
  const known = runs.filter((run) => run !== null);
  if (known.length === 0) return [];
  const ms = known.reduce(
    (sum, { startedAt = 0, completedAt = 0 }) => sum + Math.max(0, completedAt - startedAt),
    0,
  );
  return [duration(ms), ...money(known.map(({ usage }) => usage ?? null).reduce(sumUsage, null))];
}

/** `12.3k tokens`, `$0.0132`; without what was not reported. */
export function money(usage: Usage | null): string[] {
  if (usage === null) return [];
  return [`${tokens(usage)} tokens`, ...(usage.costUsd === null ? [] : [cost(usage)])];
}
