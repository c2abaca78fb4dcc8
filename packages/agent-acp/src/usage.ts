/** What a turn cost.
 *
 *  1. Token counters are per turn or per process, depending on the agent; cost is per session, as the protocol
 *     defines it. The result is for the turn alone.
 *  2. A counter that became smaller was reset: then it counts the turn. */
import type { JsonValue, Usage } from "@uncaged/workflow-protocol";
import { z } from "zod";

const count = z.number().int().nonnegative();

/** An agent's counters as last reported; null: not reported. */
export type Counters = {
  inputTokens: number | null;
  outputTokens: number | null;
  cachedInputTokens: number | null;
  costUsd: number | null;
};

const counters: z.ZodType<Counters> = z.object({
  inputTokens: count.nullable(),
  outputTokens: count.nullable(),
  cachedInputTokens: count.nullable(),
  costUsd: z.number().nonnegative().nullable(),
});

const NO_COUNTERS: Counters = {
  inputTokens: null,
  outputTokens: null,
  cachedInputTokens: null,
  costUsd: null,
};

/** The counters of a new process, from an earlier step's record: the cost continues with the session, tokens start
 *  from zero. */
export function countersAtStart(previous: JsonValue | null): Counters {
  return { ...NO_COUNTERS, costUsd: counters.safeParse(previous).data?.costUsd ?? null };
}

export type Tokens = Pick<Usage, "inputTokens" | "outputTokens" | "cachedInputTokens">;

const tokens: z.ZodType<Tokens> = z
  .object({
    inputTokens: count,
    outputTokens: count,
    cachedReadTokens: count.nullish().catch(null),
  })
  .transform(({ inputTokens, outputTokens, cachedReadTokens }) => ({
    inputTokens,
    outputTokens,
    cachedInputTokens: cachedReadTokens ?? 0,
  }));

const quota: z.ZodType<Tokens> = z
  .object({
    quota: z.object({ token_count: z.object({ input_tokens: count, output_tokens: count }) }),
  })
  .transform(({ quota: { token_count } }) => ({
    inputTokens: token_count.input_tokens,
    outputTokens: token_count.output_tokens,
    cachedInputTokens: 0,
  }));

const answer = z.object({
  usage: tokens.nullish().catch(null),
  _meta: quota.nullish().catch(null),
});

/** From the answer to a prompt; null: not reported. */
export function tokensOf(response: unknown): Tokens | null {
  const read = answer.safeParse(response).data;
  return read?.usage ?? read?._meta ?? null;
}

/** What a turn used, and the counters from which to compute the next one. */
export function usageOfTurn(
  before: Counters,
  told: { tokens: Tokens | null; costUsd: number | null },
  tokensCount: "turn" | "process",
): { usage: Usage | null; counters: Counters } {
  const { tokens: said, costUsd } = told;
  const counters = { ...before, ...said, costUsd: costUsd ?? before.costUsd };
  if (said === null && costUsd === null) return { usage: null, counters };
  const spent = (name: keyof Tokens): number =>
    said === null ? 0 : grown(tokensCount === "process" ? before[name] : null, said[name]);
  const usage = {
    inputTokens: spent("inputTokens"),
    outputTokens: spent("outputTokens"),
    cachedInputTokens: spent("cachedInputTokens"),
    costUsd: costUsd === null ? null : grown(before.costUsd, costUsd),
  };
  return { usage, counters };
}

function grown(before: number | null, now: number): number {
  return before === null || before > now ? now : now - before;
}
