import type { ThreadIndex } from "@uncaged/workflow-gateway/contract";
import type { LiveEvent } from "@uncaged/workflow-protocol";

/** The next step behind `from` (or before it) that did not end well; null: there is none. Steps count from 1. */
export function failureFrom({ columns }: ThreadIndex, from: number, by: 1 | -1): number | null {
  for (let round = from + by; round >= 1 && round <= columns.outcome.length; round += by) {
    if (columns.outcome[round - 1] !== "ok") return round;
  }
  return null;
}

type Completed = Extract<LiveEvent, { type: "step_completed" }>;

/** The index with steps that the stream told of before the store was asked again. What the stream does not know is
 *  null until then; a step that is there already is left alone, by its state. */
export function withCompleted(index: ThreadIndex, events: readonly Completed[]): ThreadIndex {
  const known = new Set(index.columns.stateHash.slice(-events.length - 1_000));
  const fresh = events.filter(({ stateHash }) => !known.has(stateHash) && known.add(stateHash));
  if (fresh.length === 0) return index;
  const { columns } = index;
  const nulls = fresh.map(() => null);
  return {
    ...index,
    stepCount: index.stepCount + fresh.length,
    columns: {
      role: [...columns.role, ...fresh.map(({ role }) => role)],
      outcome: [...columns.outcome, ...fresh.map(() => "ok" as const)],
      status: [...columns.status, ...fresh.map(({ meta }) => shortStatus(meta.status))],
      stateHash: [...columns.stateHash, ...fresh.map(({ stateHash }) => stateHash)],
      timestamp: [...columns.timestamp, ...fresh.map(({ timestamp }) => timestamp)],
      durationMs: [...columns.durationMs, ...nulls],
      agent: [...columns.agent, ...nulls],
      tokens: [...columns.tokens, ...nulls],
      costUsd: [...columns.costUsd, ...nulls],
      condition: [...columns.condition, ...nulls],
      from: [...columns.from, ...nulls],
      evidence: [...columns.evidence, ...fresh.map(() => 0)],
      files: [...columns.files, ...fresh.map(() => false)],
      childThread: [...columns.childThread, ...nulls],
      group: [...columns.group, ...fresh.map(({ group }) => group ?? null)],
    },
  };
}

const shortStatus = (status: unknown): string | null =>
  typeof status === "string" && status.length <= 60 ? status : null;
