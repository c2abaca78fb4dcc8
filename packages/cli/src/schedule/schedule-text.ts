/** Schedules in words. */
import type { Schedule, SchedulePlan, Timing } from "@uncaged/workflow-protocol";
import { duration, isoSeconds } from "../terminal/times.ts";

/** The JSON document of a schedule. */
export type ShownSchedule = SchedulePlan & Omit<Schedule, "plan">;

export function shownSchedule({ plan, ...standing }: Schedule): ShownSchedule {
  return { ...standing, ...plan };
}

export function timingText(timing: Timing): string {
  switch (timing.kind) {
    case "cron":
      return `${timing.cron} (${timing.zone})`;
    case "every":
      return `every ${duration(timing.everyMs)}`;
    case "at":
      return `once, ${isoSeconds(timing.atMs)}`;
  }
}

/** When it fires next. */
export function nextText(
  { nextAt, pausedAt }: Pick<Schedule, "nextAt" | "pausedAt">,
  nowMs: number,
): string {
  if (pausedAt !== null) return "paused";
  return nextAt === null ? "never again" : `${isoSeconds(nextAt)} (${ahead(nextAt, nowMs)})`;
}

function ahead(thenMs: number, nowMs: number): string {
  return thenMs > nowMs ? `in ${duration(thenMs - nowMs)}` : "due";
}

/** For a root without a host. */
export const NOTHING_FIRES = "no host is up, so nothing fires; start one with: uncaged-workflow up";
