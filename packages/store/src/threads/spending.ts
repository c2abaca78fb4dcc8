/** The books of a storage root: which entry a run is added to, and in which order sums are listed. */
import type { Spent, SpentBy, SpentSum } from "@uncaged/workflow-protocol";

/** The entry to which a run of a workflow is added. Empty: no role, or no known model. */
export type SpentKey = Readonly<Record<Exclude<SpentBy, "workflow">, string>>;

export function spentKey({ role, agent, model }: Spent, nowMs: number): SpentKey {
  return { day: utcDay(nowMs), role: role ?? "", agent: nameOf(agent), model: nameOf(model ?? "") };
}

/** As `2026-11-22`. */
function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Days in order; anything else by cost, then by tokens, then by name. */
export function inOrder(by: SpentBy, sums: readonly SpentSum[]): SpentSum[] {
  const byKey = (a: SpentSum, b: SpentSum): number => ((a.key ?? "") < (b.key ?? "") ? -1 : 1);
  if (by === "day") return sums.toSorted(byKey);
  return sums.toSorted(
    (a, b) =>
      (b.usage.costUsd ?? 0) - (a.usage.costUsd ?? 0) || tokensOf(b) - tokensOf(a) || byKey(a, b),
  );
}

function tokensOf({ usage }: SpentSum): number {
  return usage.inputTokens + usage.outputTokens;
}

const NAME_CHARS = 100;

/** An adapter may be anyone's code, and SQLite ends a text at a NUL. */
function nameOf(text: string): string {
  return text
    .slice(0, NAME_CHARS)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ");
}
