import { findSchedule } from "@uncaged/workflow-host";
import {
  type Failure,
  type Firing,
  ok,
  type Result,
  type Schedule,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { printableLine } from "../terminal/printable.ts";
import { renderTable } from "../terminal/render-table.ts";
import type { Style } from "../terminal/style.ts";
import { duration, isoSeconds } from "../terminal/times.ts";
import { startText } from "../thread/start/planned-start.ts";
import { nextText, shownSchedule, timingText } from "./schedule-text.ts";
import { withSchedules } from "./with-schedules.ts";

export async function showSchedule(
  { name, limit }: { name: string; limit: number },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withSchedules(io, async ({ schedules }) => {
    const found = await findSchedule(schedules, name);
    if (!found.ok) return found;
    const firings = await schedules.firings(name, limit);
    return ok({
      document: { ...shownSchedule(found.value), firings },
      human: (style) => text(found.value, firings, { style, nowMs: io.now() }),
    });
  });
}

function text(
  schedule: Schedule,
  firings: readonly Firing[],
  { style, nowMs }: { style: Style; nowMs: number },
): string {
  const { name, plan } = schedule;
  const { timing, overlap, catchUpMs, jitterMs, start } = plan;
  const missed = catchUpMs === null ? "the last one, within 1 h" : `within ${duration(catchUpMs)}`;
  const lines = [
    `${style.bold(name)}  ${timingText(timing)}`,
    `  next      ${nextText(schedule, nowMs)}`,
    `  starts    ${startText(start)}`,
    `  prompt    ${printableLine(start.prompt, 200)}`,
    `  overlap   ${overlap}`,
    `  catch-up  ${missed}`,
    ...(jitterMs === 0 ? [] : [`  jitter    up to ${duration(jitterMs)}`]),
  ];
  const table = renderTable<Firing>(
    firings,
    [
      { title: "DUE", cell: ({ dueAt }) => isoSeconds(dueAt) },
      { title: "STATE", cell: ({ state }) => state },
      { title: "THREAD", cell: detail },
    ],
    style.columns,
  );
  return `${lines.join("\n")}\n${table === "" ? "" : `\n${table}`}`;
}

function detail(firing: Firing): string {
  if ("threadId" in firing) return firing.threadId;
  return "reason" in firing ? printableLine(firing.reason, 300) : "";
}
