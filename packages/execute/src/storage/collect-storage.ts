import type { CollectReport } from "@uncaged/workflow-protocol";
import { pruneCheckCache } from "@uncaged/workflow-workspace";
import { whileBlobsLocked } from "../place/blobs-lock.ts";
import { checkCache } from "./check-cache.ts";
import type { Engine } from "./engine.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";

/** Collects garbage, removes what checks keep and have not used for long, and cleans up after killed writers. Throws what `RootStore.collect` throws. `graceMs` null: the
 *  store's own. */
export async function collectStorage(
  engine: Pick<Engine, "root" | "cas" | "now">,
  opts: { dryRun: boolean; graceMs: number | null },
): Promise<CollectReport & { checks: { installs: number; evidence: number } }> {
  const { dryRun } = opts;
  const nowMs = engine.now();
  const collect = () => engine.cas.collect({ ...opts, nowMs });
  const prune = () => pruneCheckCache(checkCache(engine.root), { nowMs, dryRun });
  if (dryRun) return { ...(await collect()), checks: await prune() };
  // A backup needs that what its copy of the index names is still there when it reads it.
  const report = await whileBlobsLocked(engine.root, collect);
  await sweepLeftovers(engine.root, engine.now());
  return { ...report, checks: await prune() };
}
