/** When a schedule is due. Cron, time zones and daylight saving are left to croner: a local time that occurs twice is due
 *  once, and a skipped one is due when the clock has moved forward. */
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type Timing,
} from "@uncaged/workflow-protocol";
import { Cron } from "croner";

/** The due times from `from` to `upTo`, both included, in order; the latest if there are more than `atMost`. */
export function dueTimes(
  timing: Timing,
  { from, upTo, atMost }: { from: number; upTo: number; atMost: number },
): number[] {
  const due: number[] = [];
  let at = lastDue(timing, upTo);
  while (at !== null && at >= from && due.length < atMost) {
    due.push(at);
    at = lastDue(timing, at - 1);
  }
  return due.reverse();
}

/** The first due time after this one; null: there is none. */
export function nextDue(timing: Timing, afterMs: number): number | null {
  switch (timing.kind) {
    case "cron":
      return cronOf(timing).nextRun(new Date(afterMs))?.getTime() ?? null;
    case "every": {
      const { fromMs, everyMs } = timing;
      return fromMs + everyMs * Math.max(1, Math.floor((afterMs - fromMs) / everyMs) + 1);
    }
    case "at":
      return timing.atMs > afterMs ? timing.atMs : null;
  }
}

/** The last due time up to this one. */
function lastDue(timing: Timing, upToMs: number): number | null {
  switch (timing.kind) {
    case "cron":
      // Croner's previous time is strictly before the given one, and its times are whole seconds.
      return (
        cronOf(timing)
          .previousRuns(1, new Date(upToMs + 1))[0]
          ?.getTime() ?? null
      );
    case "every": {
      const times = Math.floor((upToMs - timing.fromMs) / timing.everyMs);
      return times < 1 ? null : timing.fromMs + timing.everyMs * times;
    }
    case "at":
      return timing.atMs <= upToMs ? timing.atMs : null;
  }
}

type CronTiming = Extract<Timing, { kind: "cron" }>;

function cronOf({ cron, zone }: Omit<CronTiming, "kind">): Cron {
  return new Cron(cron, { timezone: zone, paused: true });
}

/** Parses what people typed as a timing. `USAGE` for an invalid cron expression or time zone, or one that is never
 *  due. */
export function cronTiming(cron: string, zone: string, nowMs: number): Result<CronTiming, Failure> {
  if (!isZone(zone)) return err(unknownZone(zone));
  // Croner also accepts a date, which is not an expression.
  const words = cron.trim();
  if (/^\d{4}-/.test(words)) return err(badCron(cron, "it is a date"));
  const timing: CronTiming = { kind: "cron", cron: words, zone };
  try {
    if (nextDue(timing, nowMs) !== null) return ok(timing);
  } catch (thrown) {
    return err(badCron(cron, wordsOf(thrown)));
  }
  return err(badCron(cron, "it is never due"));
}

/** Unix milliseconds of `2026-12-01T09:00`, local time in a time zone unless it says otherwise (`Z`,
 *  `+01:00`). `USAGE`. */
export function timeIn(text: string, zone: string): Result<number, Failure> {
  if (!isZone(zone)) return err(unknownZone(zone));
  const [, day, time, seconds = ":00", offset] = TIME.exec(text.trim()) ?? [];
  const local = `${day}T${time}${seconds}`;
  const atMs =
    offset === undefined
      ? localTime(local, zone)
      : Date.parse(`${local}${offset === "z" ? "Z" : offset}`);
  if (day !== undefined && atMs !== null && !Number.isNaN(atMs)) return ok(atMs);
  return err(
    failure(
      "USAGE",
      `${JSON.stringify(text)} is not a time`,
      "write it as 2026-12-01T09:00, or with an offset: 2026-12-01T09:00+01:00, 2026-12-01T08:00Z",
    ),
  );
}

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(Z|z|[+-]\d\d:\d\d)?$/;

function localTime(local: string, zone: string): number | null {
  try {
    return cronOf({ cron: local, zone }).nextRun(new Date(0))?.getTime() ?? null;
  } catch {
    return null;
  }
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

function unknownZone(zone: string): Failure {
  return failure(
    "USAGE",
    `${JSON.stringify(zone)} is not a time zone`,
    "name one of the IANA time zones, such as Europe/Zurich or UTC",
  );
}

/** Croner's message without its internal names. */
function wordsOf(thrown: unknown): string {
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return said.replace(/^CronPattern: /, "").replace(/\.$/, "");
}

function badCron(cron: string, why: string): Failure {
  return failure(
    "USAGE",
    `the cron expression ${JSON.stringify(cron)} cannot be used: ${why}`,
    'write minute, hour, day, month and weekday, such as "0 9 * * 1-5"',
  );
}
