import type { ToolKind, ToolPolicy } from "@uncaged/workflow-protocol";

/** Why a policy could not be kept by an agent that asks before calls of these kinds only; null: it can. A call of
 *  another kind is seen when it was made already: that is soon enough to refuse the result, not to prevent it. */
export function unkeptRule(policy: ToolPolicy, asks: readonly ToolKind[]): string | null {
  const { deny = [], allow = [] } = policy;
  const narrow = allow.filter(({ input }) => input !== undefined);
  for (const { kind } of [...deny, ...narrow]) {
    if (kind !== undefined && !asks.includes(kind)) {
      return `it does not ask before calls of kind ${kind}, so a rule about them comes too late`;
    }
  }
  return null;
}
