import type { Lease, SignalKind, ThreadStore } from "@uncaged/workflow-protocol";
import { type Interruption, urgent } from "./interruption.ts";
import { FENCE_AFTER_MS, LEASE_TTL_MS, RENEW_EVERY_MS } from "./lease-times.ts";

/** How soon a stop or kill from another process is noticed. A read takes about 20 µs a thread. */
const LISTEN_EVERY_MS = 150;

export type Heartbeat = {
  /** `ageMs`: how long ago the store was asked for it, which may have taken its time to answer. */
  keep(lease: Lease, ageMs: number): void;
  drop(lease: Lease): void;
  stop(): void;
};

/** Keeps the leases of a process, all with one write, and turns signals from other processes into interruptions.
 *  Signals are read even while a renewal waits for another process's write. */
export function startHeartbeat(opts: {
  store: Pick<ThreadStore, "renew" | "signals">;
  now: () => number;
  interrupt: (lease: Lease, reason: Interruption) => void;
  /** Called for a lease that could not be renewed in time, as soon as it is interrupted; left out: such a lease is kept,
   *  because nobody can take what nobody can reach. */
  fence?: (lease: Lease) => void;
  /** Milliseconds. */
  monotonicMs?: () => number;
}): Heartbeat {
  const { store, now, interrupt, fence, monotonicMs = () => performance.now() } = opts;
  /** When each was last known to be ours, at the latest. */
  const kept = new Map<Lease, number>();
  let renewAtMs = Number.POSITIVE_INFINITY;
  const hear = (lease: Lease, signals: readonly SignalKind[]): void => {
    const reason = urgent(signals);
    if (reason !== null && kept.has(lease)) interrupt(lease, reason);
  };
  const listen = oneAtATime(async () => {
    const leases = [...kept.keys()];
    const signals = await store.signals(leases.map(({ threadId }) => threadId));
    for (const [at, lease] of leases.entries()) hear(lease, signals[at] ?? []);
  });
  const renew = oneAtATime(async () => {
    const leases = [...kept.keys()];
    // The lease runs from somewhere between asking and the answer.
    const askedAt = monotonicMs();
    const renewed = await store.renew({ leases, ttlMs: LEASE_TTL_MS, nowMs: now() });
    for (const [at, lease] of leases.entries()) {
      const heard = renewed[at] ?? "lost";
      if (heard === "lost") {
        if (kept.delete(lease)) interrupt(lease, "lease-lost");
      } else if (kept.has(lease)) {
        kept.set(lease, askedAt);
        hear(lease, heard);
      }
    }
    renewAtMs = now() + RENEW_EVERY_MS;
  });
  const fenceOverdue = (): void => {
    const until = monotonicMs() - FENCE_AFTER_MS;
    for (const [lease, renewedAt] of kept) {
      if (renewedAt > until) continue;
      kept.delete(lease);
      // First the reason: a process that ends without one is a crash, and would be tried again.
      interrupt(lease, "lease-lost");
      fence?.(lease);
    }
  };
  const timer = setInterval(() => {
    if (kept.size === 0) return;
    if (fence !== undefined) fenceOverdue();
    listen();
    if (now() >= renewAtMs) renew();
  }, LISTEN_EVERY_MS);

  return {
    keep: (lease, ageMs) => {
      kept.set(lease, monotonicMs() - ageMs);
      // Not from the lease: its times may be those of a server's clock.
      renewAtMs = Math.min(renewAtMs, now() + RENEW_EVERY_MS);
    },
    drop: (lease) => void kept.delete(lease),
    stop: () => clearInterval(timer),
  };
}

/** Faults can be transient: the next beat tries again, and the step's own write reports a broken store. */
function oneAtATime(beat: () => Promise<void>): () => void {
  let busy = false;
  return () => {
    if (busy) return;
    busy = true;
    beat()
      .catch(() => undefined)
      .finally(() => {
        busy = false;
      });
  };
}
