/** Gets a thread running: in the host of its storage root if one is up, otherwise in a separate runner. Returns once
 *  the thread is owned and its bundle is loaded, or once it is queued because the limits leave no room. */
import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { handToHost } from "./ask-host.ts";
import type { RunnerReport } from "./runner-report.ts";
import { spawnRunner } from "./spawn-runner.ts";

export async function startRunner(
  engine: Pick<Engine, "root" | "packagesBase">,
  threadId: string,
): Promise<Result<null, Failure>> {
  const report = await handToHost(engine.root, threadId);
  const started = report === null ? await spawnRunner(engine, threadId) : resultOf(report);
  return started.ok || started.error.code !== "LIMIT_REACHED" ? started : ok(null);
}

function resultOf(report: RunnerReport): Result<null, Failure> {
  return report.kind === "ready" ? ok(null) : err(report.failure);
}

/** Whether a runner was refused because another one runs the thread, or has already run it to its end. For a caller who
 *  only wants the thread to run, that is as good. */
export function othersWereFirst({ code }: Failure): boolean {
  return code === "LEASE_HELD" || code === "TRANSITION_INVALID";
}
