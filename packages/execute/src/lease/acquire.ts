import type { Lease, ThreadStore } from "@uncaged/workflow-protocol";
import { ownIdentity } from "@uncaged/workflow-util";
import { LEASE_TTL_MS } from "../keeper/lease-times.ts";
import type { Engine } from "../storage/engine.ts";

/** Takes the lease of a thread for this process. `replaces`: the fence of an owner known to be dead. Throws
 *  `LEASE_HELD`, `TRANSITION_INVALID` or, with `room`, `LIMIT_REACHED`. */
export function acquire(
  engine: Pick<Engine, "store" | "now">,
  threadId: string,
  replaces: number | null,
  by: Pick<Parameters<ThreadStore["acquire"]>[0], "room" | "worker"> = {},
): Promise<Lease> {
  return engine.store.acquire({
    threadId,
    process: ownIdentity(),
    ttlMs: LEASE_TTL_MS,
    nowMs: engine.now(),
    replaces,
    ...by,
  });
}
