/** What keeps a coordinator from starting another worker, or from having one go on. */
import {
  type BudgetUse,
  boundsOf,
  type Coordinates,
  type Limits,
  type SharedBudget,
} from "@uncaged/workflow-protocol";
import { underWay, type WorkerBook } from "../chain/worker-book.ts";

/** The limits of the thread, and what it had used when the step began. */
export type Purse = { limits: Limits; used: BudgetUse };

/** What the workers of the step may use together. */
export function shareOf({ limits, used }: Purse, coordinates: Coordinates): SharedBudget {
  const { budgetShare } = boundsOf(coordinates);
  const share = (bound: keyof BudgetUse): number | null => {
    const limit = limits[bound];
    if (limit === undefined) return null;
    return Math.max(0, Math.min(limit * budgetShare, limit - used[bound]));
  };
  const tokens = share("tokens");
  return { tokens: tokens === null ? null : Math.floor(tokens), costUsd: share("costUsd") };
}

/** `spent`: what has been used up of the budget; null: something is left. In words for the coordinator; null: nothing does. */
export function whyNoWorker(
  book: WorkerBook,
  coordinates: Coordinates,
  { spent, nowMs, isNew }: { spent: keyof BudgetUse | null; nowMs: number; isNew: boolean },
): string | null {
  const { atOnce, max, budgetShare } = boundsOf(coordinates);
  const busy = underWay(book);
  if (isNew && book.workers.size >= max)
    return `no more than ${max} workers may be started in all, and ${max} were`;
  if (busy.length >= atOnce)
    return `no more than ${atOnce} workers may run at once, and ${busy.map(({ id }) => id).join(", ")} are running; end your turn, and you are told when one has ended`;
  const endsAt = deadlineOf(book, coordinates);
  if (endsAt !== null && nowMs >= endsAt)
    return `the time for workers is over (${coordinates.timeoutMs} ms)`;
  if (spent === null) return null;
  const what = spent === "tokens" ? "tokens" : "cost";
  return `the share of the thread's budget that workers may use (${Math.round(budgetShare * 100)} % of its ${what}) is used`;
}

/** When the workers are ended, Unix milliseconds; null: never, or none was started. */
export function deadlineOf({ workers }: WorkerBook, { timeoutMs }: Coordinates): number | null {
  const [first] = workers.values();
  return first === undefined || timeoutMs === undefined ? null : first.startedAt + timeoutMs;
}
