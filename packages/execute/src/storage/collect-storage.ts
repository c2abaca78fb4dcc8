import type { CollectReport } from "@uncaged/workflow-protocol";
import { casLock } from "@uncaged/workflow-store";
import type { Engine } from "./engine.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";

/** Collects garbage, and cleans up after killed writers. Throws what `RootStore.collect` throws. `graceMs` null: the
 *  store's own. */
export async function collectStorage(
  engine: Pick<Engine, "root" | "cas" | "now">,
  opts: { dryRun: boolean; graceMs: number | null },
): Promise<CollectReport> {
  const collect = () => engine.cas.collect({ ...opts, nowMs: engine.now() });
  if (opts.dryRun) return collect();
  // A backup needs that what its copy of the index names is still there when it reads it.
  const report = await casLock(engine.root)(collect);
  await sweepLeftovers(engine.root, engine.now());
  return report;
}
