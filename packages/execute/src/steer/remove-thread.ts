/** Removes a thread.
 *
 *  Order of effects: end what still runs for it, so that nobody writes for it afterwards; remove it from the store,
 *  whose history records that; delete its logs. A crash in between leaves log files of an unknown thread. The history
 *  line about its end stays; its nodes stay until gc, because other threads may share them. */
import { rm } from "node:fs/promises";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  leaseOf,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { endProcesses } from "../processes/end-processes.ts";
import type { ProcessLook } from "../processes/process-look.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";

export async function removeThread(
  engine: Engine,
  thread: ThreadRecord,
  look: ProcessLook,
): Promise<Result<null, Failure>> {
  const { threadId } = thread;
  const lease = leaseOf(thread);
  if (lease !== null && observedStatus(thread, engine.now()).status === "running") {
    return err(
      failure(
        "LEASE_HELD",
        `thread ${threadId} is run by process ${lease.process.pid}`,
        `stop it first: uncaged-workflow thread stop ${threadId}`,
      ),
    );
  }
  if (look.mayHaveProcesses(thread))
    await endProcesses(engine.store, threadId, { spare: null, over: lease });
  try {
    const replaces = lease?.fence ?? null;
    await engine.store.remove({ threadId, replaces, nowMs: engine.now() });
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
  const paths = storagePaths(engine.root);
  await engine.live.remove(threadId);
  for (const path of paths.threadLogs(threadId)) await rm(path, { force: true });
  await rm(paths.agentHomes(threadId), { recursive: true, force: true });
  return ok(null);
}
