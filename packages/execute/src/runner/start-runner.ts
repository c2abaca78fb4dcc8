/** Has a thread run: by the host of its storage root if one is up, else by a runner of its own. Returns once the thread
 *  is owned and its bundle is loaded. */
import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { handToHost } from "./ask-host.ts";
import { spawnRunner } from "./spawn-runner.ts";

export async function startRunner(
  engine: Pick<Engine, "root" | "packagesBase">,
  threadId: string,
): Promise<Result<null, Failure>> {
  const report = await handToHost(engine.root, threadId);
  if (report === null) return spawnRunner(engine, threadId);
  return report.kind === "ready" ? ok(null) : err(report.failure);
}

/** Whether a runner was refused because another one runs the thread, or has run it to its end already. For a caller who
 *  only wants the thread to run, that is as good. */
export function othersWereFirst({ code }: Failure): boolean {
  return code === "LEASE_HELD" || code === "TRANSITION_INVALID";
}
