/** Decides what happens to the due times that have passed. Pure: the same times always lead to the same firings. */
import { createHash } from "node:crypto";
import { FIRINGS_KEPT, type Firing, type Schedule } from "@uncaged/workflow-protocol";
import { dueTimes, nextDue } from "./due-times.ts";

/** How late the last due time may be by default. */
const LAST_WITHIN_MS = 3_600_000;
/** No due time counts as missed before this: hosts look every few seconds, and start slowly on a busy machine. */
const ON_TIME_MS = 60_000;

export type PlannedFirings = {
  firings: Firing[];
  /** The next due time. */
  nextAt: number | null;
};

/** null: nothing is due yet. */
export function planFirings(schedule: Schedule, nowMs: number): PlannedFirings | null {
  const { nextAt: from, plan } = schedule;
  if (from === null || from > nowMs) return null;
  const second = nextDue(plan.timing, from);
  const isOnlyOne = second === null || second > nowMs;
  // Only this many firings are remembered anyway.
  const due = isOnlyOne
    ? [from]
    : dueTimes(plan.timing, { from, upTo: nowMs, atMost: FIRINGS_KEPT });
  const { catchUpMs } = plan;
  const counts = (dueAt: number): boolean =>
    catchUpMs === null
      ? dueAt === due.at(-1) && nowMs - dueAt <= LAST_WITHIN_MS
      : nowMs - dueAt <= Math.max(catchUpMs, ON_TIME_MS);
  return {
    firings: due.map((dueAt) => ({
      ...firingAt(schedule, dueAt),
      ...(counts(dueAt) ? { state: "waiting" } : { state: "missed", reason: MISSED }),
    })),
    nextAt: isOnlyOne ? second : nextDue(plan.timing, nowMs),
  };
}

const MISSED = "no host was up, or the machine slept";

/** A firing that waits for its part of the jitter. */
export function firingAt({ name, plan: { overlap, jitterMs } }: Schedule, dueAt: number): Firing {
  const notBefore = dueAt + Math.floor(partOf(name, dueAt) * jitterMs);
  return { schedule: name, dueAt, notBefore, overlap, state: "waiting" };
}

/** From 0 to below 1, always the same for a due time: a restarted host gets the same value. */
function partOf(name: string, dueAt: number): number {
  const digest = createHash("sha256").update(`${name} ${dueAt}`).digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}
