import { END, type Spent, type StepRun, sumUsage, type Usage } from "@uncaged/workflow-protocol";
import type { NodeReader } from "./read-node.ts";
import { walkChain } from "./walk-chain.ts";

/** What the books get of a run's record; null: it reports nothing. */
export function spentBy(role: string, run: StepRun | null): Spent | null {
  if (run === null || run.usage === null) return null;
  const { name, binding, model = null } = run.agent;
  return { role: role === END ? null : role, agent: binding ?? name, model, usage: run.usage };
}

/** What the nodes of a thread say that was used. Reads all of them. */
export async function usageOfChain(
  cas: NodeReader,
  thread: { startHash: string; head: string },
): Promise<Usage | null> {
  let sum: Usage | null = null;
  for await (const { node } of walkChain(cas, thread))
    sum = sumUsage(sum, node.payload.usage ?? null);
  return sum;
}
