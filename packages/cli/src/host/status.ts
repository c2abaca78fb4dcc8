import { openSchedules } from "@uncaged/workflow-execute";
import { type HostStatus, hostStatus } from "@uncaged/workflow-host";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import { count } from "../command/count.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";
import { printableLine } from "../terminal/printable.ts";
import { ago, isoSeconds } from "../terminal/times.ts";

export async function showStatus(io: Io): Promise<Result<Output, Failure>> {
  const status = await withEngine(io, async (engine) => {
    const schedules = await openSchedules(engine.root);
    return hostStatus(engine, schedules).finally(() => schedules.close());
  });
  return ok({ document: status, human: () => statusText(status, io.now()) });
}

function statusText({ host, threads, notify, nextDue }: HostStatus, nowMs: number): string {
  const counts = Object.entries(threads)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`);
  const all = `threads: ${counts.length === 0 ? "none" : counts.join(", ")}`;
  const next =
    nextDue === null ? [] : [`next: ${nextDue.schedule}, due ${isoSeconds(nextDue.dueAt)}`];
  const rest = [all, ...next, ...notify.map((each) => `  ${undeliveredText(each, nowMs)}`)];
  if (host === null)
    return ["no host is up; start one with: uncaged-workflow up", ...rest, ""].join("\n");
  return [
    `host: process ${host.pid}, started ${ago(host.since, nowMs)}`,
    ...host.workers.map(
      ({ bundleHash, pid, threads: carried, since }) =>
        `  worker ${pid} of ${bundleHash}: ${carried} ${carried === 1 ? "thread" : "threads"}, started ${ago(since, nowMs)}`,
    ),
    ...host.resting.map(({ bundleHash, reason }) => `  ${bundleHash} rests: ${reason}`),
    ...rest,
    "",
  ].join("\n");
}

/** The status in one line. */
export function undeliveredText(
  { listener, notices, since, fault }: HostStatus["notify"][number],
  nowMs: number,
): string {
  const why = fault === null ? "" : `: ${printableLine(fault, 200)}`;
  const name = printableLine(listener, 60);
  return `${name} has ${count(notices, "pending notice")}, since ${ago(since, nowMs)}${why}`;
}
