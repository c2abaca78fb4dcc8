import { type HostStatus, hostStatus } from "@uncaged/workflow-host";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";
import { ago } from "../terminal/times.ts";

export async function showStatus(io: Io): Promise<Result<Output, Failure>> {
  const status = await withEngine(io, hostStatus);
  return ok({ document: status, human: () => statusText(status, io.now()) });
}

function statusText({ host, threads }: HostStatus, nowMs: number): string {
  const counts = Object.entries(threads)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`);
  const all = `threads: ${counts.length === 0 ? "none" : counts.join(", ")}`;
  if (host === null) return `no host is up; start one with: uncaged-workflow up\n${all}\n`;
  return [
    `host: process ${host.pid}, started ${ago(host.since, nowMs)}`,
    ...host.workers.map(
      ({ bundleHash, pid, threads: carried, since }) =>
        `  worker ${pid} of ${bundleHash}: ${carried} ${carried === 1 ? "thread" : "threads"}, started ${ago(since, nowMs)}`,
    ),
    ...host.resting.map(({ bundleHash, reason }) => `  ${bundleHash} rests: ${reason}`),
    all,
    "",
  ].join("\n");
}
