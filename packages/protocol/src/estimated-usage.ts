import type { Usage } from "./step-run.ts";

/** For English text; other languages and code have fewer. */
const CHARS_PER_TOKEN = 4;

/** Estimates usage from text size, for runs that nobody metered: a budget has to count something. */
export function estimatedUsage(size: { sentChars: number; receivedChars: number }): Usage {
  return {
    inputTokens: Math.ceil(size.sentChars / CHARS_PER_TOKEN),
    outputTokens: Math.ceil(size.receivedChars / CHARS_PER_TOKEN),
    cachedInputTokens: 0,
    costUsd: null,
    estimated: true,
  };
}
