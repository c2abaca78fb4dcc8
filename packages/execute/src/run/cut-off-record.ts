import type { StepRun, ThreadRecord } from "@uncaged/workflow-protocol";
import { lostAttempts } from "../chain/lost-attempts.ts";
import { endRecord } from "../models/with-model-costs.ts";
import type { Engine } from "../storage/engine.ts";

/** What the end node of a killed thread records: all usage since its last step. The live log includes the usage of the
 *  engine's own models. null: nothing was reported. */
export async function cutOffRecord(
  engine: Pick<Engine, "cas" | "live">,
  thread: Pick<ThreadRecord, "threadId" | "startHash" | "head" | "cwd">,
  nowMs: number,
): Promise<StepRun | null> {
  const lost = await lostAttempts(engine, thread);
  const nothing = (): null => null;
  const costs = { extraction: nothing, watching: nothing, lost: () => lost };
  return endRecord(null, costs, { nowMs, cwd: thread.cwd });
}
