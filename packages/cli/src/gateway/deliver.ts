import { openTriggers } from "@uncaged/workflow-execute";
import {
  type Delivery,
  type Received,
  receiveDelivery,
  threadStarter,
} from "@uncaged/workflow-host";
import type { Failure, Result } from "@uncaged/workflow-protocol";
import type { EngineWorld } from "./engine-calls.ts";

/** A delivery of a webhook: checked against its trigger's secret, then a thread. */
export async function deliver(
  delivery: Delivery,
  { engine }: Pick<EngineWorld, "engine">,
): Promise<Result<Received, Failure>> {
  const triggers = await openTriggers(engine.root);
  try {
    const starter = threadStarter(engine, new AbortController().signal);
    return await receiveDelivery({ triggers, starter, now: engine.now }, delivery);
  } finally {
    await triggers.close();
  }
}
