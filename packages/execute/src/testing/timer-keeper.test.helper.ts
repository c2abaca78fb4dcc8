import type { ThreadStore } from "@uncaged/workflow-protocol";
import { startHeartbeat } from "../keeper/heartbeat.ts";
import type { Keeper } from "../keeper/keeper.ts";

/** Keeps leases on the thread that does the work, for a store that no other thread can open: one in memory, or on
 *  a simulated disk. Work that does not yield delays its renewals; `threadKeeper` has no such weakness. */
export function timerKeeper({
  store,
  now,
}: {
  store: Pick<ThreadStore, "renew" | "signals">;
  now: () => number;
}): Keeper {
  return {
    keep: ({ lease, ageMs, interrupt }) => {
      const heartbeat = startHeartbeat({ store, now, interrupt: (_, reason) => interrupt(reason) });
      heartbeat.keep(lease, ageMs);
      return { stop: heartbeat.stop, fault: () => null };
    },
    close: async () => undefined,
  };
}
