import { failureFrom, type Lease, type ThreadStore } from "@uncaged/workflow-protocol";
import { type Interruption, urgent } from "./interruption.ts";

/** A lease is renewed five times within its life, so that one slow disk does not lose it. */
export const LEASE_TTL_MS = 15_000;
const RENEW_EVERY_MS = 3_000;
/** How soon a stop or kill from another process is noticed. Reading costs about 20 µs. */
const LISTEN_EVERY_MS = 150;

/** Keeps the lease and turns signals from other processes into an abort. */
export function startHeartbeat(opts: {
  store: ThreadStore;
  lease: Lease;
  now: () => number;
  interrupt: (reason: Interruption) => void;
}): { stop: () => void } {
  const { store, lease, now, interrupt } = opts;
  let renewAtMs = lease.acquiredAt + RENEW_EVERY_MS;
  let busy = false;
  const beat = async (): Promise<void> => {
    const due = now() >= renewAtMs;
    const request = {
      threadId: lease.threadId,
      fence: lease.fence,
      ttlMs: LEASE_TTL_MS,
      nowMs: now(),
    };
    const signals = due ? await store.renew(request) : await store.signals(lease.threadId);
    if (due) renewAtMs = now() + RENEW_EVERY_MS;
    const reason = urgent(signals);
    if (reason !== null) interrupt(reason);
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    beat()
      .catch((thrown: unknown) => {
        // Any other fault passes: the next beat tries again, and the step's own write reports a broken store.
        if (failureFrom(thrown, "STORAGE_FAILED").code === "LEASE_LOST") interrupt("lease-lost");
      })
      .finally(() => {
        busy = false;
      });
  }, LISTEN_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
