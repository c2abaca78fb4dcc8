import fc from "fast-check";
import { expect, test } from "vitest";
import { dayOf } from "./day.ts";

const HOUR_MS = 3_600_000;

test.each([
  ["2026-11-22T12:00Z", "UTC", "2026-11-22T00:00Z", 24],
  ["2026-11-22T12:00Z", "Europe/Zurich", "2026-11-21T23:00Z", 24],
  ["2026-11-22T23:30Z", "Europe/Zurich", "2026-11-22T23:00Z", 24],
  ["2026-11-22T18:15Z", "Asia/Kathmandu", "2026-11-22T18:15Z", 24],
  // Daylight saving begins, and ends.
  ["2026-03-29T12:00Z", "Europe/Zurich", "2026-03-28T23:00Z", 23],
  ["2026-10-25T12:00Z", "Europe/Zurich", "2026-10-24T22:00Z", 25],
  // A day that begins at one o'clock.
  ["2026-09-06T12:00Z", "America/Santiago", "2026-09-06T04:00Z", 23],
])("the day of %s in %s begins at %s and has %i hours", (now, zone, start, hours) => {
  const { startMs, endMs } = dayOf(Date.parse(now), zone);
  expect(new Date(startMs)).toEqual(new Date(start));
  expect((endMs - startMs) / HOUR_MS).toBe(hours);
});

test("the days of a zone follow each other without a gap", () => {
  const zone = fc.constantFrom("Europe/Zurich", "America/St_Johns", "Pacific/Apia", "UTC");
  const now = fc.integer({ min: Date.UTC(2011, 11, 20), max: Date.UTC(2032, 0) });
  const property = fc.property(now, zone, (nowMs, name) => {
    const day = dayOf(nowMs, name);
    expect(day.startMs).toBeLessThanOrEqual(nowMs);
    expect(day.endMs).toBeGreaterThan(nowMs);
    expect(dayOf(day.endMs - 1, name)).toEqual(day);
    expect(dayOf(day.endMs, name).startMs).toBe(day.endMs);
  });
  fc.assert(property);
});
