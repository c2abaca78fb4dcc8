import { type HostStatus, hostStatus } from "@uncaged/workflow-host";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import { count } from "../command/count.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";
import { printableLine } from "../terminal/printable.ts";
import { ago } from "../terminal/times.ts";

export async function showStatus(io: Io): Promise<Result<Output, Failure>> {
  const status = await withEngine(io, hostStatus);
  return ok({ document: status, human: () => statusText(status, io.now()) });
}

function statusText({ host, threads, notify }: HostStatus, nowMs: number): string {
  const counts = Object.entries(threads)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`);
  const all = `threads: ${counts.length === 0 ? "none" : counts.join(", ")}`;
  const left = notify.map((each) => `  ${undeliveredText(each, nowMs)}`);
  if (host === null) {
    const none = "no host is up; start one with: uncaged-workflow up";
    return [none, all, ...left, ""].join("\n");
  }
  return [
    `host: process ${host.pid}, started ${ago(host.since, nowMs)}`,
    ...host.workers.map(
      ({ bundleHash, pid, threads: carried, since }) =>
        `  worker ${pid} of ${bundleHash}: ${carried} ${carried === 1 ? "thread" : "threads"}, started ${ago(since, nowMs)}`,
    ),
    ...host.resting.map(({ bundleHash, reason }) => `  ${bundleHash} rests: ${reason}`),
    all,
    ...left,
    "",
  ].join("\n");
}

/** In one line. */
export function undeliveredText(
  { listener, notices, since, fault }: HostStatus["notify"][number],
  nowMs: number,
): string {
  const why = fault === null ? "" : `: ${printableLine(fault, 200)}`;
  const name = printableLine(listener, 60);
  return `${name} is still to be told ${count(notices, "thing")}, since ${ago(since, nowMs)}${why}`;
}
