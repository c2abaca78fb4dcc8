import type { ThreadRecord } from "@uncaged/workflow-protocol";
import type { Chain } from "../chain/chain.ts";
import { threadContext } from "../chain/thread-context.ts";
import type { Engine } from "../storage/engine.ts";
import { bundleOf } from "./load-run.ts";
import { nextRole } from "./next-role.ts";

/** What the table of the thread's own bundle names next; null once the thread has ended, or without its bundle. */
export async function roleAfter(
  engine: Pick<Engine, "root" | "cas">,
  thread: ThreadRecord,
  chain: Chain,
): Promise<string | null> {
  const bundle = await bundleOf(engine, thread, chain);
  if (!bundle.ok) return null;
  return nextRole(thread, bundle.value.descriptor, await threadContext(engine.cas, thread, chain));
}
