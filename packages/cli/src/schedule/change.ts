import { pauseSchedule, removeSchedule, resumeSchedule, runSchedule } from "@uncaged/workflow-host";
import { type Failure, ok, type Result, type Schedule } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { threadOfStep } from "../command/thread-of-step.ts";
import { nextText } from "./schedule-text.ts";
import { withSchedules } from "./with-schedules.ts";

export async function pause(name: string, io: Io): Promise<Result<Output, Failure>> {
  const paused = await withSchedules(io, (at) => pauseSchedule(at, name));
  return said(
    paused,
    () => `${name} is paused; continue with: uncaged-workflow schedule resume ${name}`,
  );
}

export async function resume(name: string, io: Io): Promise<Result<Output, Failure>> {
  const resumed = await withSchedules(io, (at) => resumeSchedule(at, name));
  return said(resumed, (schedule) => `${name} is due next: ${nextText(schedule, io.now())}`);
}

export async function remove(name: string, io: Io): Promise<Result<Output, Failure>> {
  const removed = await withSchedules(io, (at) => removeSchedule(at, name));
  return said(removed, () => `${name} is removed; its threads stay`);
}

export async function runNow(name: string, io: Io): Promise<Result<Output, Failure>> {
  const started = await withSchedules(io, (at) =>
    runSchedule(at, { name, asker: threadOfStep(io.env) }),
  );
  if (!started.ok) return started;
  return ok({ document: { threadId: started.value }, human: () => started.value });
}

function said(
  changed: Result<Schedule, Failure>,
  words: (schedule: Schedule) => string,
): Result<Output, Failure> {
  if (!changed.ok) return changed;
  const { name, nextAt, pausedAt } = changed.value;
  return ok({ document: { name, nextAt, pausedAt }, human: () => words(changed.value) });
}
