/** The day of a time zone, from one midnight to the next. */

const QUARTER_MS = 15 * 60_000;
/** A day has at most 25 hours, and no zone ever changed its clock by more than a day. */
const QUARTERS = 26 * 4;

export type Day = {
  /** Unix milliseconds. */
  startMs: number;
  /** When the next one starts. */
  endMs: number;
};

/** The day that `nowMs` is in. Every current zone changes its clock and begins its day on a quarter-hour. */
export function dayOf(nowMs: number, zone: string): Day {
  const last = days.get(zone);
  if (last !== undefined && last.startMs <= nowMs && nowMs < last.endMs) return last;
  const day = newDay(nowMs, zone);
  days.set(zone, day);
  return day;
}

/** The last one asked for, by zone: it is asked for before every step. */
const days = new Map<string, Day>();

function newDay(nowMs: number, zone: string): Day {
  const dates = formatter(zone);
  const today = dates.format(nowMs);
  const quarter = Math.floor(nowMs / QUARTER_MS);
  const isToday = (at: number): boolean => dates.format(at * QUARTER_MS) === today;
  return {
    startMs: first(quarter - QUARTERS, quarter, isToday) * QUARTER_MS,
    endMs: first(quarter, quarter + QUARTERS, (at) => !isToday(at)) * QUARTER_MS,
  };
}

/** The first number in the range for which `holds` is true. It is true for `to`, and for every number after the first. */
function first(from: number, to: number, holds: (at: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
  formatters.set(zone, made);
  return made;
}
