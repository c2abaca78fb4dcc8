/** Forgets a thread.
 *
 *  Order of effects: what still runs for it ends, so that nobody writes for it afterwards; a line of history that
 *  says so, the index row, then its logs. After a crash behind the line the thread is there as before, and behind
 *  the row there are files that name a thread nobody knows. The line about its end stays; its nodes stay until gc,
 *  for other threads may share them. */
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
import { appendRemoval } from "@uncaged/workflow-store";
import { storagePaths } from "@uncaged/workflow-util";
import { endProcesses } from "../processes/end-processes.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";

export async function removeThread(
  engine: Engine,
  thread: ThreadRecord,
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
  await endProcesses(engine.store, threadId, { spare: null, over: lease });
  try {
    appendRemoval(engine.root, thread, engine.now());
    await engine.store.remove(threadId, lease?.fence ?? null);
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
  const paths = storagePaths(engine.root);
  await engine.live.remove(threadId);
  for (const path of paths.threadLogs(threadId)) await rm(path, { force: true });
  await rm(paths.agentHomes(threadId), { recursive: true, force: true });
  return ok(null);
}
