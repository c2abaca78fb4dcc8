import type { ToolKind, ToolPolicy } from "@uncaged/workflow-protocol";

/** Why an agent that asks only before calls of these kinds could not keep a policy; null: it can. A call of another
 *  kind is only seen after it was made: early enough to refuse the result, too late to prevent it. */
export function unkeptRule(policy: ToolPolicy, asks: readonly ToolKind[]): string | null {
  const { deny = [], allow = [], ask = [], network = true } = policy;
  const narrow = allow.filter(({ input }) => input !== undefined);
  for (const { kind } of [...deny, ...ask, ...narrow, ...(network ? [] : REACHING)]) {
    if (kind !== undefined && !asks.includes(kind)) {
      return `it does not ask before calls of kind ${kind}, so a rule about them comes too late`;
    }
  }
  return null;
}

/** What may use the network: a search may be one of the web. */
const REACHING: readonly { kind: ToolKind }[] = [
  { kind: "fetch" },
  { kind: "search" },
  { kind: "other" },
];
