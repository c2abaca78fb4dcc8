import { existsSync } from "node:fs";
import type { NodeReader } from "./read-node.ts";
import { walkChain } from "./walk-chain.ts";

/** Git folders that have files of a thread's steps and still exist. */
export async function repositoriesOf(
  cas: NodeReader,
  thread: { startHash: string; head: string },
): Promise<string[]> {
  const found = new Set<string>();
  for await (const { node } of walkChain(cas, thread))
    if (node.payload.workspace !== undefined) found.add(node.payload.workspace.repository);
  return [...found].filter((repository) => existsSync(repository));
}
