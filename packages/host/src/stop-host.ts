import { setTimeout as sleep } from "node:timers/promises";
import { type HostFile, runningHost } from "@uncaged/workflow-execute";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { livenessOf } from "@uncaged/workflow-util";

const LOOK_EVERY_MS = 50;

/** Tells the host to end, and waits until it is gone. Its threads continue under the next host, or when resumed.
 *  Returns the host that was up; null: none was. Aborting ends the wait only (`THREAD_ABORTED`). */
export async function stopHost(
  root: string,
  signal: AbortSignal,
): Promise<Result<HostFile | null, Failure>> {
  const host = runningHost(root);
  if (host === null) return ok(null);
  process.kill(host.process.pid, "SIGTERM");
  while (livenessOf(host.process) === "alive") {
    if (signal.aborted) return err(notWaitedFor(host));
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return ok(host);
}

function notWaitedFor({ process: { pid } }: HostFile): Failure {
  return failure(
    "THREAD_ABORTED",
    `the host, process ${pid}, was asked to end, but waiting for that was interrupted`,
    "see: uncaged-workflow status",
  );
}
