import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import { isWorker } from "../chain/is-worker.ts";
import type { Engine } from "../storage/engine.ts";

/** Depth of a thread started by a step of this one. `MAX_DEPTH`: deeper than the configuration allows, or started by a
 *  worker. */
export async function depthBelow(
  engine: Pick<Engine, "root" | "cas">,
  starter: Pick<ThreadRecord, "threadId" | "depth" | "parentThread" | "startHash">,
  about: {
    /** null: unknown. */
    role: string | null;
    workflow: string;
  },
): Promise<Result<number, Failure>> {
  const { threadId, depth } = starter;
  const who = about.role === null ? "a step" : `role ${about.role}`;
  if (await isWorker(engine.cas, starter))
    return err(
      failure(
        "MAX_DEPTH",
        `${who} of thread ${threadId} may not start ${about.workflow}: the thread is a worker, and workers start no threads`,
        "have the coordinator start another worker, or do the work in the worker itself",
      ),
    );
  const settings = await readSettings(engine.root);
  if (!settings.ok) return settings;
  const { maxDepth } = settings.value;
  if (depth + 1 <= maxDepth) return ok(depth + 1);
  return err(
    failure(
      "MAX_DEPTH",
      `${who} of thread ${threadId} (depth ${depth}) may not start ${about.workflow}: maxDepth is ${maxDepth}`,
      "raise config.maxDepth in workflow.yaml, or break the cycle of workflows that start each other",
    ),
  );
}
