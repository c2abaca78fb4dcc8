import type { Usage } from "@uncaged/workflow-protocol";

/** `$0.0132`, `$1.25`; `–` when it was not reported. */
export function cost(usage: Usage | null): string {
  if (usage === null || usage.costUsd === null) return "–";
  return `$${usage.costUsd.toFixed(usage.costUsd < 1 ? 4 : 2)}`;
}

/** Input and output together: `950`, `12.3k`, `4.0M`; `~950` when estimated; `–` when not reported. */
export function tokens(usage: Usage | null): string {
  if (usage === null) return "–";
  const sum = shortNumber(usage.inputTokens + usage.outputTokens);
  return usage.estimated ? `~${sum}` : sum;
}

function shortNumber(sum: number): string {
  if (sum < 1_000) return String(sum);
  return sum < 1_000_000 ? `${(sum / 1_000).toFixed(1)}k` : `${(sum / 1_000_000).toFixed(1)}M`;
}
