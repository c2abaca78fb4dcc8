import { runningHost, startDepth } from "@uncaged/workflow-execute";
import { addSchedule as add, cronTiming, timeIn } from "@uncaged/workflow-host";
import {
  type Failure,
  type Overlap,
  ok,
  type Result,
  type Timing,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { threadOfStep } from "../command/thread-of-step.ts";
import { readStart, type TypedStart } from "../thread/start/planned-start.ts";
import { NOTHING_FIRES, nextText } from "./schedule-text.ts";
import type { TypedTiming } from "./timing-options.ts";
import { withSchedules } from "./with-schedules.ts";

export type AddOptions = {
  name: string;
  timing: TypedTiming;
  start: TypedStart;
  overlap: Overlap;
  catchUpMs: number | null;
  jitterMs: number;
};

export async function addSchedule(
  { name, timing: typed, start: typedStart, ...how }: AddOptions,
  io: Io,
): Promise<Result<Output, Failure>> {
  const timing = readTiming(typed, io.now());
  if (!timing.ok) return timing;
  const start = await readStart(typedStart, io);
  return withSchedules(io, async (at) => {
    const depth = await startDepth(at.engine, { ...start, starter: threadOfStep(io.env) });
    if (!depth.ok) return depth;
    const planned = { ...start, depth: depth.value };
    const added = await add(at, { name, plan: { timing: timing.value, start: planned, ...how } });
    if (!added.ok) return added;
    const isHosted = runningHost(at.engine.root) !== null;
    return ok({
      document: { name, nextAt: added.value.nextAt, hosted: isHosted },
      human: () => {
        const next = `${name} is due next: ${nextText(added.value, io.now())}`;
        return isHosted ? next : `${next}\n${NOTHING_FIRES}`;
      },
    });
  });
}

function readTiming(typed: TypedTiming, nowMs: number): Result<Timing, Failure> {
  if (typed.kind === "every") return ok({ ...typed, fromMs: nowMs });
  const zone = typed.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (typed.kind === "cron") return cronTiming(typed.text, zone, nowMs);
  const time = timeIn(typed.text, zone);
  return time.ok ? ok({ kind: "at", atMs: time.value }) : time;
}
