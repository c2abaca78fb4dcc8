import type { JsonValue, Usage } from "@uncaged/workflow-protocol";
import { z } from "zod";

/** What this turn alone cost, and the session's counters after it.
 *
 *  Claude Code counts `modelUsage` over the whole session, including its earlier processes. Newer versions report
 *  the difference themselves, including compactions and subagents; for others it is computed. */
export function turnUsage(
  result: {
    modelUsage?: JsonValue | undefined;
    model_usage_since_last_result?: JsonValue | undefined;
  },
  previous: JsonValue | null,
): { usage: Usage | null; rawUsage: JsonValue | null } {
  const total = modelUsage(result.modelUsage);
  const own = modelUsage(result.model_usage_since_last_result);
  const rawUsage = result.modelUsage ?? null;
  if (own !== null) return { usage: own, rawUsage };
  if (total === null) return { usage: null, rawUsage };
  return { usage: difference(total, modelUsage(previous)), rawUsage };
}

function difference(total: Usage, before: Usage | null): Usage {
  if (before === null) return total;
  const since = (now: number, then: number): number => Math.max(0, now - then);
  return {
    inputTokens: since(total.inputTokens, before.inputTokens),
    outputTokens: since(total.outputTokens, before.outputTokens),
    cachedInputTokens: since(total.cachedInputTokens, before.cachedInputTokens),
    costUsd:
      total.costUsd === null || before.costUsd === null
        ? total.costUsd
        : since(total.costUsd, before.costUsd),
  };
}

/** Model → counters, summed. Input tokens are those of the prompt, cached or not. */
function modelUsage(value: unknown): Usage | null {
  const parsed = MODEL_USAGE.safeParse(value);
  if (!parsed.success) return null;
  const models = Object.values(parsed.data);
  const sum = (pick: (model: (typeof models)[number]) => number): number =>
    models.reduce((all, model) => all + pick(model), 0);
  return {
    inputTokens: sum((m) => m.inputTokens + m.cacheReadInputTokens + m.cacheCreationInputTokens),
    outputTokens: sum((m) => m.outputTokens),
    cachedInputTokens: sum((m) => m.cacheReadInputTokens),
    costUsd: models.some((m) => m.costUSD === null) ? null : sum((m) => m.costUSD ?? 0),
  };
}

const COUNT = z.number().nonnegative().default(0);
const MODEL_USAGE = z.record(
  z.string(),
  z.object({
    inputTokens: COUNT,
    outputTokens: COUNT,
    cacheReadInputTokens: COUNT,
    cacheCreationInputTokens: COUNT,
    costUSD: z.number().nonnegative().nullable().default(null),
  }),
);
