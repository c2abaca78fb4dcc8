/** What runs used, booked in the transaction that publishes them: a step that is stored is booked, and no other. */
import type { Spent, SpentBy, SpentSum, Usage } from "@uncaged/workflow-protocol";
import { QUARTER_MS, startOf } from "../threads/room.ts";
import { inOrder, spentKey } from "../threads/spending.ts";
import { noteTokens } from "./room.ts";
import { integerOf, type NamedRow, textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";

/** Part of the caller's transaction. */
export function book(
  index: ThreadIndex,
  spent: Spent | null,
  { threadId, nowMs }: { threadId: string; nowMs: number },
): void {
  if (spent === null) return;
  const used = usageValues(spent.usage);
  const key = spentKey(spent, nowMs);
  index.sql(ADD_TO_THREAD).run({ threadId, ...used });
  index.sql(ADD_TO_SPENT).run({ threadId, ...key, ...used });
  const tokens = spent.usage.inputTokens + spent.usage.outputTokens;
  const startMs = startOf(nowMs, QUARTER_MS);
  index.sql(ADD_TO_QUARTER).run({ startMs, tokens, costUsd: spent.usage.costUsd ?? 0 });
  noteTokens(index, { agent: key.agent, nowMs, tokens });
}

export function spentSums(
  index: ThreadIndex,
  { by, sinceDay = "" }: { by: SpentBy; sinceDay?: string },
): SpentSum[] {
  const sums = index.read("read what was spent", () => index.sql(SUMS[by]).all({ sinceDay }));
  return inOrder(by, sums.map(sumOf));
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
const COST = `costUsd = CASE WHEN :costUsd IS NULL THEN costUsd
    ELSE coalesce(costUsd, 0) + :costUsd END`;

const ADD_TO_THREAD = `
  UPDATE threads SET
    inputTokens = coalesce(inputTokens, 0) + :inputTokens,
    outputTokens = coalesce(outputTokens, 0) + :outputTokens,
    cachedInputTokens = coalesce(cachedInputTokens, 0) + :cachedInputTokens,
    ${COST}, estimated = max(coalesce(estimated, 0), :estimated)
  WHERE threadId = :threadId`;

const ADD_TO_SPENT = `
  INSERT INTO spent
  SELECT :day, workflow, :role, :agent, :model,
    1, :inputTokens, :outputTokens, :cachedInputTokens, :costUsd, :estimated
  FROM threads WHERE threadId = :threadId
  ON CONFLICT DO UPDATE SET runs = runs + 1,
    inputTokens = inputTokens + :inputTokens,
    outputTokens = outputTokens + :outputTokens,
    cachedInputTokens = cachedInputTokens + :cachedInputTokens,
    ${COST}, estimated = max(estimated, :estimated)`;

const ADD_TO_QUARTER = `
  INSERT INTO spentQuarters VALUES (:startMs, :tokens, :costUsd)
  ON CONFLICT DO UPDATE SET tokens = tokens + :tokens, costUsd = costUsd + :costUsd`;

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
