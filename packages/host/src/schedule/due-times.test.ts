import type { Timing } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { cronTiming, dueTimes, nextDue, timeIn } from "./due-times.ts";

const at = (text: string): number => Date.parse(text);
const NOW = at("2026-11-23T00:00:00Z");

describe("due times", () => {
  it.each(["Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "UTC"])(
    "are the same forwards and backwards, on both days of daylight saving in %s",
    (zone) => {
      for (const cron of ["30 2 * * *", "*/30 * * * *", "15 1 * * *", "0 0 * * *"]) {
        const timing: Timing = { kind: "cron", cron, zone };
        for (const day of ["2026-03-08", "2026-03-29", "2026-04-05", "2026-09-06", "2026-10-25"]) {
          const [from, upTo] = [
            at(`${day}T00:00:00Z`) - 86_400_000,
            at(`${day}T00:00:00Z`) + 86_400_000,
          ];
          const forwards: number[] = [];
          for (let due = nextDue(timing, from - 1); due !== null && due <= upTo; )
            due = nextDue(timing, forwards[forwards.push(due) - 1] ?? 0);
          expect(dueTimes(timing, { from, upTo, atMost: 1_000 })).toEqual(forwards);
          expect(forwards).toEqual([...new Set(forwards)].sort());
        }
      }
    },
  );

  it("include both ends, and are the latest of too many", () => {
    const timing: Timing = { kind: "every", everyMs: 10, fromMs: 5 };
    expect(dueTimes(timing, { from: 15, upTo: 45, atMost: 9 })).toEqual([15, 25, 35, 45]);
    expect(dueTimes(timing, { from: 0, upTo: 44, atMost: 2 })).toEqual([25, 35]);
    expect(nextDue(timing, 0)).toBe(15);
    expect(nextDue(timing, 15)).toBe(25);
    const once: Timing = { kind: "at", atMs: 30 };
    expect(dueTimes(once, { from: 30, upTo: 30, atMost: 9 })).toEqual([30]);
    expect(dueTimes(once, { from: 31, upTo: 99, atMost: 9 })).toEqual([]);
    expect([nextDue(once, 29), nextDue(once, 30)]).toEqual([30, null]);
  });
});

describe("what people type", () => {
  it("is refused with the reason when it is not a cron expression or is never due", () => {
    const reason = (cron: string, zone = "UTC"): string => {
      const read = cronTiming(cron, zone, NOW);
      return read.ok ? "" : `${read.error.code}: ${read.error.message}`;
    };
    expect(reason("0 9 * * 1-5")).toBe("");
    expect(reason("@daily")).toBe("");
    expect(reason("0 9 * *")).toContain("USAGE");
    expect(reason("61 9 * * *")).toContain("61");
    expect(reason("0 9 30 2 *")).toContain("never due");
    expect(reason("2026-12-01T09:00:00")).toContain("it is a date");
    expect(reason("0 9 * * *", "Mars/Olympus")).toContain('"Mars/Olympus" is not a time zone');
  });

  it.each([
    ["2026-12-01T09:00", "2026-12-01T08:00:00Z"],
    ["2026-12-01 09:00:30", "2026-12-01T08:00:30Z"],
    ["2026-06-01T09:00", "2026-06-01T07:00:00Z"],
    ["2026-12-01T09:00Z", "2026-12-01T09:00:00Z"],
    ["2026-12-01T09:00+05:30", "2026-12-01T03:30:00Z"],
  ])("%s is a time in Zurich", (text, expected) => {
    expect(timeIn(text, "Europe/Zurich")).toEqual({ ok: true, value: at(expected) });
  });

  it.each(["tomorrow", "2026-12-01", "2026-13-01T09:00", "2026-12-01T25:00Z", "9:00", ""])(
    "%j is no time",
    (text) => {
      expect(timeIn(text, "Europe/Zurich")).toMatchObject({ ok: false, error: { code: "USAGE" } });
    },
  );
});
