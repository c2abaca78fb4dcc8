import { type GcReport, leaseOf } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { findLostThreads } from "./lost-threads.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";

export type StorageGcReport = GcReport & { restoredEntries: number };

/** Quarantines every blob that no thread reaches, counting both the threads in the index and those it has lost, and
 *  cleans up after killed writers. Throws `CAS_MISSING` or `CAS_CORRUPT`, before anything is touched, when a node that
 *  a thread needs is damaged. `graceMs` null: the store's own. */
export async function collectStorage(
  engine: Pick<Engine, "root" | "cas" | "store" | "now">,
  opts: { dryRun: boolean; graceMs: number | null },
): Promise<StorageGcReport> {
  let scannedThreads = 0;
  const running = await engine.store.list({ withLease: true });
  const report = await engine.cas.collect({
    roots: async () => {
      const threads = await engine.store.roots();
      scannedThreads = threads.length;
      return threads.flatMap(({ startHash, head }) => [startHash, head]);
    },
    lost: async () => {
      const { ended, untilMs } = await findLostThreads(engine);
      return { heads: ended.map(({ head }) => head), statesAfterMs: untilMs };
    },
    nowMs: engine.now(),
    graceMs: opts.graceMs,
    // An agent may keep a hash it stored and submit it hours later, as long as its runner lives.
    protectSinceMs: running.reduce<number | null>((oldest, thread) => {
      const since = leaseOf(thread)?.acquiredAt ?? null;
      return since === null ? oldest : Math.min(oldest ?? since, since);
    }, null),
    dryRun: opts.dryRun,
  });
  if (!opts.dryRun) await sweepLeftovers(engine.root, engine.now());
  return { scannedThreads, ...report };
}
