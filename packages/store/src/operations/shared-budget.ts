/** The budget that the workers of a coordinator share, and their calls. A step's usage is on its thread's row with the step;
 *  what no step records yet is on the row of the call. So nothing is counted twice, and nothing is forgotten. */
import type { BudgetUse, CallVerdict, Dispatch } from "@uncaged/workflow-protocol";
import { toWrite } from "../threads/refusals.ts";
import { callVerdict, type SharedUse } from "../threads/shared-budget.ts";
import { all, change, changing, type Deed, type Operation, one, timed } from "./operation.ts";
import { refused } from "./refused.ts";
import { type NamedRow, textOf } from "./thread-columns.ts";
import { getThread } from "./thread-queries.ts";

export function shareBudget(request: Parameters<Dispatch["shareBudget"]>[0]): Deed<BudgetUse> {
  const { threadId, step, budget, workers } = request;
  return changing(`share the budget of thread ${threadId}`, function* () {
    const before = yield* usedBy(threadId, workers);
    const { tokens: tokensBefore, costUsd: costBefore } = before;
    yield* change(SHARE, { threadId, step, ...budget, tokensBefore, costBefore });
    return (yield* sharedUse(threadId))?.used ?? NOTHING_USED;
  });
}

type Call = Parameters<Dispatch["beginCall"]>[0];

export function beginCall(call: Call): Deed<CallVerdict> {
  const { threadId, fence, part, used } = call;
  return changing(`begin a call of worker ${threadId}`, function* () {
    const { nowMs } = yield* timed(call);
    const owned = toWrite(yield* getThread(threadId), call);
    if (!owned.ok) throw refused(owned, threadId);
    const { parentThread, stepCount } = owned.value;
    const shared = parentThread === null ? null : yield* sharedUse(parentThread);
    if (shared === null || parentThread === null) return { ok: true };
    // What its earlier owners left is in `used`.
    yield* change("DELETE FROM workerCalls WHERE threadId = :threadId AND fence <> :fence", {
      ...{ threadId, fence },
    });
    const calls = yield* all(CALLS, { parentThread, nowMs });
    const others = calls.filter((row) => !isCall(row, call));
    const verdict = callVerdict({
      ...shared,
      used: [used, ...others.filter((row) => !isUnderWay(row)).map(useIn)].reduce(sum, shared.used),
      underWay: others.filter(isUnderWay).map(useIn),
    });
    if (verdict.ok) yield* change(PUT, { threadId, fence, part, step: stepCount, ...used });
    return verdict;
  });
}

export function noteCall({ threadId, fence, part, used }: Omit<Call, "nowMs">): Deed<void> {
  return changing(`note what worker ${threadId} used`, function* () {
    yield* change(NOTE, { threadId, fence, part, ...used });
  });
}

export function endCall({ threadId, fence, part, used }: Omit<Call, "nowMs">): Deed<void> {
  return changing(`end a call of worker ${threadId}`, function* () {
    yield* change(END, { threadId, fence, part });
    const parent = (yield* getThread(threadId))?.parentThread ?? null;
    if (parent !== null) yield* change(LARGEST, { threadId: parent, ...used });
  });
}

/** null: the step that shared its budget is over. */
function* sharedUse(threadId: string): Operation<Omit<SharedUse, "underWay"> | null> {
  const row = yield* one(SHARED, { threadId });
  if (row === undefined) return null;
  const now = yield* usedBy(threadId, []);
  const largest = row.largestTokens === null ? null : amounts(row.largestTokens, row.largestCost);
  return {
    budget: { tokens: limitIn(row.tokens), costUsd: limitIn(row.costUsd) },
    used: sum(now, amounts(-Number(row.tokensBefore), -Number(row.costBefore))),
    largest,
  };
}

/** By all children, or all but some. */
function* usedBy(parentThread: string, besides: readonly string[]): Operation<BudgetUse> {
  const row = yield* one(USED, { parentThread, besides: JSON.stringify(besides) });
  return amounts(row?.tokens, row?.costUsd);
}

const NOTHING_USED: BudgetUse = { tokens: 0, costUsd: 0 };

function amounts(tokens: unknown, costUsd: unknown): BudgetUse {
  return { tokens: Number(tokens ?? 0), costUsd: Number(costUsd ?? 0) };
}

function sum(a: BudgetUse, b: BudgetUse): BudgetUse {
  return { tokens: a.tokens + b.tokens, costUsd: a.costUsd + b.costUsd };
}

function limitIn(value: unknown): number | null {
  return value === null ? null : Number(value);
}

function useIn(row: NamedRow): BudgetUse {
  return amounts(row.tokens, row.costUsd);
}

function isUnderWay(row: NamedRow): boolean {
  return Number(row.underWay) === 1;
}

function isCall(row: NamedRow, { threadId, part }: Call): boolean {
  return textOf(row, "threadId") === threadId && textOf(row, "part") === part;
}

const SHARE = `
  INSERT INTO sharedBudgets VALUES
    (:threadId, :step, :tokens, :costUsd, :tokensBefore, :costBefore, NULL, NULL)
  ON CONFLICT (threadId) DO UPDATE SET
    tokensBefore = CASE WHEN sharedBudgets.step = :step THEN sharedBudgets.tokensBefore ELSE :tokensBefore END,
    costBefore = CASE WHEN sharedBudgets.step = :step THEN sharedBudgets.costBefore ELSE :costBefore END,
    step = :step, tokens = :tokens, costUsd = :costUsd`;

const SHARED = `
  SELECT sharedBudgets.tokens, sharedBudgets.costUsd, tokensBefore, costBefore, largestTokens, largestCost
  FROM sharedBudgets JOIN threads ON threads.threadId = sharedBudgets.threadId
  WHERE sharedBudgets.threadId = :threadId AND stepCount = step AND returnCode IS NULL
    AND (sharedBudgets.tokens IS NOT NULL OR sharedBudgets.costUsd IS NOT NULL)`;

const USED = `
  SELECT coalesce(sum(coalesce(inputTokens, 0) + coalesce(outputTokens, 0)), 0) AS tokens,
    coalesce(sum(costUsd), 0) AS costUsd
  FROM threads
  WHERE parentThread = :parentThread AND threadId NOT IN (SELECT value FROM json_each(:besides))`;

const UNDER_WAY =
  "leasePid IS NOT NULL AND leaseExpiresAt > :nowMs AND workerCalls.fence = threads.fence";

const CALLS = `
  SELECT workerCalls.threadId, part, tokens, workerCalls.costUsd,
    CASE WHEN ${UNDER_WAY} THEN 1 ELSE 0 END AS underWay
  FROM workerCalls JOIN threads ON threads.threadId = workerCalls.threadId
  WHERE parentThread = :parentThread AND returnCode IS NULL AND (step = stepCount OR (${UNDER_WAY}))`;

const PUT = `
  INSERT INTO workerCalls VALUES (:threadId, :part, :fence, :step, :tokens, :costUsd)
  ON CONFLICT (threadId, part) DO UPDATE SET fence = :fence, step = :step, tokens = :tokens, costUsd = :costUsd`;

const NOTE = `
  UPDATE workerCalls SET tokens = :tokens, costUsd = :costUsd
  WHERE threadId = :threadId AND part = :part AND fence = :fence`;

const END =
  "DELETE FROM workerCalls WHERE threadId = :threadId AND part = :part AND fence = :fence";

const LARGEST = `
  UPDATE sharedBudgets SET
    largestTokens = CASE WHEN largestTokens > :tokens THEN largestTokens ELSE :tokens END,
    largestCost = CASE WHEN largestCost > :costUsd THEN largestCost ELSE :costUsd END
  WHERE threadId = :threadId`;
