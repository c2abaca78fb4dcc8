import {
  failureFrom,
  type Lease,
  type SignalKind,
  type ThreadStore,
} from "@uncaged/workflow-protocol";
import { type Interruption, urgent } from "./interruption.ts";
import { LEASE_TTL_MS, RENEW_EVERY_MS } from "./lease-times.ts";

/** How soon a stop or kill from another process is noticed. A read takes about 20 µs. */
const LISTEN_EVERY_MS = 150;

/** Keeps the lease and turns signals from other processes into an interruption. Signals are read even while a renewal
 *  waits for another process's write. */
export function startHeartbeat(opts: {
  store: Pick<ThreadStore, "renew" | "signals">;
  lease: Lease;
  now: () => number;
  interrupt: (reason: Interruption) => void;
}): { stop: () => void } {
  const { store, lease, now, interrupt } = opts;
  const { threadId, fence } = lease;
  let renewAtMs = lease.acquiredAt + RENEW_EVERY_MS;
  const hear = (signals: readonly SignalKind[]): void => {
    const reason = urgent(signals);
    if (reason !== null) interrupt(reason);
  };
  const listen = oneAtATime(async () => hear(await store.signals(threadId)));
  const renew = oneAtATime(async () => {
    try {
      hear(await store.renew({ threadId, fence, ttlMs: LEASE_TTL_MS, nowMs: now() }));
    } catch (thrown) {
      if (failureFrom(thrown, "STORAGE_FAILED").code !== "LEASE_LOST") throw thrown;
      stop();
      interrupt("lease-lost");
    }
    renewAtMs = now() + RENEW_EVERY_MS;
  });
  const timer = setInterval(() => {
    listen();
    if (now() >= renewAtMs) renew();
  }, LISTEN_EVERY_MS);
  const stop = (): void => clearInterval(timer);
  return { stop };
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
