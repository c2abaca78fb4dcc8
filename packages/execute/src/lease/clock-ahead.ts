/** Leases whose owner's clock is ahead of ours.
 *
 *  A lease never ends later than its time to live from now, unless the clocks differ. Such an end is not trusted: an
 *  owner that froze just after its clock was corrected could keep its thread for a day. We trust the heartbeat instead:
 *  an owner that does not renew while we watch for a whole lease lifetime has lost its lease. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Lease, leaseOf } from "@uncaged/workflow-protocol";
import { LEASE_TTL_MS } from "../keeper/lease-times.ts";
import type { Engine } from "../storage/engine.ts";

/** Clocks of two machines rarely differ by more. */
const CLOCKS_DIFFER_MS = 5_000;
const LOOK_EVERY_MS = 250;

/** Whether the lease ends later than it possibly can. */
export function endsTooLate(lease: Lease, nowMs: number): boolean {
  return lease.expiresAt > nowMs + LEASE_TTL_MS + CLOCKS_DIFFER_MS;
}

/** Watches for a whole lease lifetime, on a monotonic clock. Returns false as soon as the lease is renewed or gone, or
 *  when aborted. */
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
