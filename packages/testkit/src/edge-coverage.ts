import {
  FALLBACK,
  type RoleMeta,
  START,
  type Transition,
  targetOf,
  type WorkflowDefinition,
} from "@uncaged/workflow-protocol";
import type { RunResult } from "./run-workflow.ts";

/** One transition of a table. */
export type Edge = {
  from: string;
  /** Index among the transitions of `from`, from 0. */
  rule: number;
  /** Name of its condition, or `FALLBACK`. */
  condition: string;
  to: string;
};

/** Every transition of the table, in the order in which it is written. */
export function walkTable<M extends RoleMeta>(definition: WorkflowDefinition<M>): Edge[] {
  const table = new Map<string, readonly Transition[]>(Object.entries(definition.table));
  return [...new Set([START, ...Object.keys(definition.roles), ...table.keys()])].flatMap((from) =>
    (table.get(from) ?? []).map((transition, rule) => ({
      from,
      rule,
      condition: transition.condition === FALLBACK ? FALLBACK : transition.condition.name,
      to: targetOf(transition),
    })),
  );
}

/** The transitions that none of these runs took. */
export function untakenEdges<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
  runs: readonly Pick<RunResult, "routes">[],
): Edge[] {
  const taken = new Set(
    runs.flatMap(({ routes }) => routes.map(({ from, rule }) => `${from} ${rule}`)),
  );
  return walkTable(definition).filter(({ from, rule }) => !taken.has(`${from} ${rule}`));
}

/** Throws when none of these runs took a transition, and names each one. */
export function expectEveryEdge<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
  runs: readonly Pick<RunResult, "routes">[],
): void {
  const untaken = untakenEdges(definition, runs);
  if (untaken.length === 0) return;
  const lines = untaken.map(
    ({ from, rule, condition, to }) => `  table.${from}[${rule}]  ${condition} → ${to}`,
  );
  throw new Error(["no run took these transitions:", ...lines].join("\n"));
}
