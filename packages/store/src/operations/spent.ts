/** What runs used, booked in the transaction that publishes them: a step that is stored is booked, and no other. */
import type { Spent, SpentBy, SpentSum, Usage } from "@uncaged/workflow-protocol";
import { QUARTER_MS, startOf } from "../threads/room.ts";
import { inOrder, spentKey } from "../threads/spending.ts";
import { all, change, type Deed, type Operation, reading } from "./operation.ts";
import { noteTokens } from "./room.ts";
import { integerOf, type NamedRow, textOf } from "./thread-columns.ts";

/** Part of the caller's transaction. */
export function* book(
  spent: Spent | null,
  { threadId, nowMs }: { threadId: string; nowMs: number },
): Operation<void> {
  if (spent === null) return;
  const values = { threadId, ...bookingValues(spent, nowMs) };
  for (const text of BOOKING) yield* change(text, values);
  const { agent, tokens } = values;
  yield* noteTokens({ agent, nowMs, tokens });
}

type Booking = ReturnType<typeof usageValues> &
  Record<"day" | "role" | "agent" | "model", string> &
  Record<"startMs" | "tokens", number>;

export function bookingValues(spent: Spent, nowMs: number): Booking {
  const tokens = spent.usage.inputTokens + spent.usage.outputTokens;
  const startMs = startOf(nowMs, QUARTER_MS);
  return { ...usageValues(spent.usage), ...spentKey(spent, nowMs), startMs, tokens };
}

export function spentSums({
  by,
  sinceDay = "",
}: {
  by: SpentBy;
  sinceDay?: string;
}): Deed<SpentSum[]> {
  return reading("read what was spent", function* () {
    return inOrder(by, (yield* all(SUMS[by], { sinceDay })).map(sumOf));
  });
}

/** The columns of a thread, or of a sum. */
export function usageValues(usage: Usage | null): Record<keyof Usage, number | null> {
  return {
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    cachedInputTokens: usage?.cachedInputTokens ?? null,
    costUsd: usage?.costUsd ?? null,
    estimated: usage === null ? null : Number(usage.estimated ?? false),
  };
}

// A cost that only one of them reports is taken as the whole cost, as in `sumUsage`.
const cost = (table: string): string => `costUsd = CASE WHEN :costUsd IS NULL THEN ${table}.costUsd
    ELSE coalesce(${table}.costUsd, 0) + :costUsd END`;

const estimated = (table: string): string =>
  `estimated = CASE WHEN ${table}.estimated = 1 THEN 1 ELSE :estimated END`;

const ADD_TO_THREAD = `
  UPDATE threads SET
    inputTokens = coalesce(inputTokens, 0) + :inputTokens,
    outputTokens = coalesce(outputTokens, 0) + :outputTokens,
    cachedInputTokens = coalesce(cachedInputTokens, 0) + :cachedInputTokens,
    ${cost("threads")}, ${estimated("threads")}
  WHERE threadId = :threadId`;

const ADD_TO_SPENT = `
  INSERT INTO spent
  SELECT :day, workflow, :role, :agent, :model,
    1, :inputTokens, :outputTokens, :cachedInputTokens, :costUsd, :estimated
  FROM threads WHERE threadId = :threadId
  ON CONFLICT (day, workflow, role, agent, model) DO UPDATE SET runs = spent.runs + 1,
    inputTokens = spent.inputTokens + :inputTokens,
    outputTokens = spent.outputTokens + :outputTokens,
    cachedInputTokens = spent.cachedInputTokens + :cachedInputTokens,
    ${cost("spent")}, ${estimated("spent")}`;

const ADD_TO_QUARTER = `
  INSERT INTO spentQuarters VALUES (:startMs, :tokens, coalesce(:costUsd, 0))
  ON CONFLICT (startMs) DO UPDATE SET tokens = spentQuarters.tokens + :tokens,
    costUsd = spentQuarters.costUsd + coalesce(:costUsd, 0)`;

/** The sums that a run is added to. What all of them change comes first: whoever waits for it holds nothing else. */
export const BOOKING: readonly string[] = [ADD_TO_QUARTER, ADD_TO_THREAD, ADD_TO_SPENT];

const sumsBy = (column: SpentBy): string => `
  SELECT ${column} AS key, sum(runs) AS runs, sum(inputTokens) AS inputTokens,
    sum(outputTokens) AS outputTokens, sum(cachedInputTokens) AS cachedInputTokens,
    sum(costUsd) AS costUsd, max(estimated) AS estimated
  FROM spent WHERE day >= :sinceDay GROUP BY ${column}`;

const SUMS: { readonly [by in SpentBy]: string } = {
  workflow: sumsBy("workflow"),
  role: sumsBy("role"),
  agent: sumsBy("agent"),
  model: sumsBy("model"),
  day: sumsBy("day"),
};

function sumOf(row: NamedRow): SpentSum {
  const { costUsd } = row;
  const usage: Usage = {
    inputTokens: integerOf(row, "inputTokens"),
    outputTokens: integerOf(row, "outputTokens"),
    cachedInputTokens: integerOf(row, "cachedInputTokens"),
    costUsd: typeof costUsd === "number" ? costUsd : null,
    ...(integerOf(row, "estimated") === 1 ? { estimated: true } : {}),
  };
  return { key: textOf(row, "key") || null, runs: integerOf(row, "runs"), usage };
}
