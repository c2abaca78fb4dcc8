import type { StepWorkspace } from "@uncaged/workflow-protocol";
import type { NodeReader } from "./read-node.ts";
import { walkChain } from "./walk-chain.ts";

/** What the last step up to `head` that worked in a repository did to its files; null: none did. */
export async function lastWorkspace(
  cas: NodeReader,
  at: { startHash: string; head: string },
): Promise<StepWorkspace | null> {
  for await (const { node } of walkChain(cas, at))
    if (node.payload.workspace !== undefined) return node.payload.workspace;
  return null;
}
