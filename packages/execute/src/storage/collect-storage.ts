import { type GcReport, leaseOf } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { findLostThreads } from "./lost-threads.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";

export type StorageGcReport = GcReport & { restoredEntries: number };

/** Dead blobs are set aside at once and deleted for good by a run this much later. */
export const DEFAULT_GRACE_MS: number = 60 * 60 * 1000;

/** Sets aside every blob that no thread reaches, of those that the index knows and of those that it has lost, and sees
 *  to what writers left that were killed. Throws `CAS_MISSING` or `CAS_CORRUPT`, before anything is touched, when a node that a thread needs is damaged. */
export async function collectStorage(
  engine: Pick<Engine, "root" | "cas" | "store" | "now">,
  opts: { dryRun: boolean; graceMs: number },
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
      const { ended, isLater } = await findLostThreads(engine);
      return { heads: ended.map(({ head }) => head), isHead: isLater };
    },
    nowMs: engine.now(),
    graceMs: opts.graceMs,
    // An agent may hold a hash it put and hand it over hours later, as long as its runner lives.
    protectSinceMs: running.reduce<number | null>((oldest, thread) => {
      const since = leaseOf(thread)?.acquiredAt ?? null;
      return since === null ? oldest : Math.min(oldest ?? since, since);
    }, null),
    dryRun: opts.dryRun,
  });
  if (!opts.dryRun) await sweepLeftovers(engine.root, engine.now());
  return { scannedThreads, ...report };
}
