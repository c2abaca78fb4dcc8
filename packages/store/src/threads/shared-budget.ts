/** Whether a worker's call may begin beside those of the others.
 *
 *  What a call uses is known when it has ended. So each call under way is taken to use twice as much as the largest one
 *  that ended, besides what it has reported, and another begins only if something is left then. As long as none has ended,
 *  there is one at a time. So all together exceed the budget by one call at most, unless calls that run at once turn out
 *  more than twice as large as any before. */
import type { BudgetUse, CallVerdict, SharedBudget } from "@uncaged/workflow-protocol";

export type SharedUse = {
  budget: SharedBudget;
  /** By what has ended, and by calls that were cut off. */
  used: BudgetUse;
  /** What each call under way has reported. */
  underWay: readonly BudgetUse[];
  /** null: none has ended. */
  largest: BudgetUse | null;
};

const MARGIN = 2;

export function callVerdict({ budget, used, underWay, largest }: SharedUse): CallVerdict {
  let mayBegin = true;
  for (const bound of ["tokens", "costUsd"] as const) {
    const limit = budget[bound];
    if (limit === null) continue;
    const left = limit - used[bound];
    if (left <= 0) return { ok: false, spent: { bound, limit, used: used[bound] } };
    if (underWay.length === 0) continue;
    const most = largest === null ? Number.POSITIVE_INFINITY : MARGIN * largest[bound];
    const expected = underWay.reduce((sum, call) => sum + call[bound] + most, 0);
    if (expected >= left) mayBegin = false;
  }
  return mayBegin ? { ok: true } : { ok: false, spent: null };
}
