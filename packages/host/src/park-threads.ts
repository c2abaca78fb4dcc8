import { type Engine, leaseTag } from "@uncaged/workflow-execute";
import { leaseOf } from "@uncaged/workflow-protocol";
import { killTagged } from "@uncaged/workflow-util";
import type { Carrier } from "./carry-threads.ts";

/** Ends the workers, then what they started: if an agent ended first, its worker would record a failed step. The
 *  threads keep their leases, so the next host knows that they were under way. */
export async function parkThreads(
  engine: Pick<Engine, "store">,
  carrier: Pick<Carrier, "state" | "end">,
): Promise<void> {
  const workers = new Set(carrier.state().workers.map(({ pid }) => pid));
  const owned = (await engine.store.list({ withLease: true })).flatMap((thread) => {
    const lease = leaseOf(thread);
    return lease !== null && workers.has(lease.process.pid) ? [leaseTag(lease)] : [];
  });
  await carrier.end();
  if (owned.length > 0) await killTagged({ tag: owned, graceMs: 0 });
}
