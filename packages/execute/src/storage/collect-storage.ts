import type { CollectReport } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";

/** Collects garbage, and cleans up after killed writers. Throws what `RootStore.collect` throws. `graceMs` null: the
 *  store's own. */
export async function collectStorage(
  engine: Pick<Engine, "root" | "cas" | "now">,
  opts: { dryRun: boolean; graceMs: number | null },
): Promise<CollectReport> {
  const report = await engine.cas.collect({ ...opts, nowMs: engine.now() });
  if (!opts.dryRun) await sweepLeftovers(engine.root, engine.now());
  return report;
}
