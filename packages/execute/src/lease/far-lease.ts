/** Leases whose owner's clock is ahead of ours.
 *
 *  A lease never ends later than its time to live from now, unless the clocks differ. Such an end is not believed:
 *  it would let an owner that froze a moment after its clock was put right keep its thread for a day. What
 *  is believed is the heartbeat: an owner that does not renew while we watch for a lease's whole life has lost it. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Lease, leaseOf } from "@uncaged/workflow-protocol";
import { LEASE_TTL_MS } from "../keeper/heartbeat.ts";
import type { Engine } from "../storage/engine.ts";

/** Clocks of two machines are rarely further apart. */
const CLOCKS_DIFFER_MS = 5_000;
const LOOK_EVERY_MS = 250;

/** The lease says that it ends later than it can. */
export function endsTooLate(lease: Lease, nowMs: number): boolean {
  return lease.expiresAt > nowMs + LEASE_TTL_MS + CLOCKS_DIFFER_MS;
}

/** Watches for a lease's whole life, by a clock that nobody sets. False as soon as the lease is renewed or gone,
 *  or when it is aborted. */
export async function standsStill(
  { store }: Pick<Engine, "store">,
  lease: Lease,
  signal: AbortSignal,
): Promise<boolean> {
  const until = performance.now() + LEASE_TTL_MS;
  while (performance.now() < until) {
    if (signal.aborted) return false;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    const thread = await store.get(lease.threadId);
    const now = thread && leaseOf(thread);
    if (now?.fence !== lease.fence || now.heartbeatAt !== lease.heartbeatAt) return false;
  }
  return true;
}
