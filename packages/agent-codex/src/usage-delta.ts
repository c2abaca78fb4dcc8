import type { Usage } from "@uncaged/workflow-protocol";
import type { CodexUsage } from "./codex-event.ts";

/** What one turn used: Codex counts over the whole thread. Cached tokens are included in the input tokens, and it
 *  reports no cost. A counter that went down was reset. */
export function usageDelta(now: CodexUsage, before: CodexUsage | null): Usage {
  const since = (key: keyof CodexUsage): number => {
    const grown = now[key] - (before?.[key] ?? 0);
    return grown >= 0 ? grown : now[key];
  };
  return {
    inputTokens: since("input_tokens"),
    outputTokens: since("output_tokens"),
    cachedInputTokens: since("cached_input_tokens"),
    costUsd: null,
  };
}
