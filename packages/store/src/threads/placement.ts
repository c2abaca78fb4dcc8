/** Which worker may take a thread: one answer for every store. */
import {
  DEFAULT_POOL,
  type LimitKey,
  type Placement,
  type WorkerFacts,
} from "@uncaged/workflow-protocol";

/** What a worker serves. `isFull`: it has as many threads as it runs at once, or takes nothing new. */
export type Serving = Pick<WorkerFacts, "pools" | "labels"> & { isFull: boolean };

/** A process that is no worker: the runner that `run` starts. */
export const RUNNER: Serving = { pools: [DEFAULT_POOL], labels: [], isFull: false };

/** One that is not known, or not any more. */
export const NO_WORKER: Serving = { pools: [], labels: [], isFull: true };

/** Why it may not take the thread; empty: it may. */
export function missingFor({ pool, needs }: Placement, by: Serving): LimitKey[] {
  const labels = needs.filter((label) => !by.labels.includes(label));
  const elsewhere: LimitKey[] = [
    ...(by.pools.includes(pool) ? [] : [`pool:${pool}` as const]),
    ...labels.map((label) => `label:${label}` as const),
  ];
  return elsewhere.length === 0 && by.isFull ? ["worker"] : elsewhere;
}
