import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OVERLAPS, type Overlap, type Timing } from "@uncaged/workflow-protocol";
import { memorySchedules, openSchedules } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import {
  DAY,
  HOUR,
  MINUTE,
  type SimulatedHost,
  seeded,
  simulatedHost,
} from "./simulated-host.test.helper.ts";

const ZURICH = "Europe/Zurich";
const NEW_YEAR = Date.parse("2026-01-01T00:00:00Z");
const YEAR_END = Date.parse("2027-01-01T00:00:00Z");
const cron = (words: string): Timing => ({ kind: "cron", cron: words, zone: ZURICH });
const NIGHTLY = cron("30 2 * * *");
const HOURLY = cron("0 * * * *");

/** Date and time of day in Zurich. */
function wall(ms: number): string {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone: ZURICH,
    dateStyle: "short",
    timeStyle: "short",
  }).format(ms);
}

/** Looks every `everyMs`, plus the time it sleeps, which `asleep` returns for each look. */
async function lookThrough(
  host: SimulatedHost,
  { from, to, everyMs }: { from: number; to: number; everyMs: number },
  asleep: () => number = () => 0,
): Promise<number[]> {
  const looks: number[] = [];
  for (let at = from; at < to; at += everyMs + asleep()) {
    looks.push(at);
    // A host that dies is restarted and looks immediately.
    while (!(await host.lookAt(at)));
  }
  return looks;
}

/** The due times in start keys, in the order in which threads were started. */
function dueOf(host: SimulatedHost): number[] {
  return [...host.threads.values()].map(({ key }) => Date.parse(key.split(" ").at(-1) ?? ""));
}

describe("a year with both changes of the clock", () => {
  it("starts 02:30 once a day, also on the day that has none and the day that has two", async () => {
    const root = await mkdtemp(join(tmpdir(), "schedules-"));
    const schedules = await openSchedules(root);
    try {
      const host = await simulatedHost(schedules, { timing: NIGHTLY, fromMs: NEW_YEAR });
      await lookThrough(host, { from: NEW_YEAR, to: YEAR_END, everyMs: HOUR });
      const due = dueOf(host);
      expect(due).toHaveLength(365);
      expect(due.map(wall).filter((time) => !time.endsWith("02:30"))).toEqual([
        "29/03/2026, 03:00",
      ]);
      expect(due.filter((at) => wall(at).startsWith("25/10/2026"))).toHaveLength(1);
      for (const { key, startedAt } of host.threads.values())
        expect(startedAt - Date.parse(key.split(" ").at(-1) ?? "")).toBeLessThanOrEqual(HOUR);
    } finally {
      await schedules.close();
      await rm(root, { recursive: true, force: true });
    }
  });

  it("starts every hour that passes, whatever the clock on the wall shows", async () => {
    const host = await simulatedHost(memorySchedules(), { timing: HOURLY, fromMs: NEW_YEAR });
    await lookThrough(host, { from: NEW_YEAR, to: YEAR_END, everyMs: HOUR });
    const due = dueOf(host);
    expect(due).toHaveLength(365 * 24 - 1);
    expect(due.every((at, n) => n === 0 || at - (due[n - 1] ?? 0) === HOUR)).toBe(true);
  });

  it("counts --every from its beginning", async () => {
    const timing: Timing = { kind: "every", everyMs: 7 * HOUR, fromMs: NEW_YEAR + MINUTE };
    const host = await simulatedHost(memorySchedules(), { timing, fromMs: NEW_YEAR + MINUTE });
    await lookThrough(host, { from: NEW_YEAR, to: YEAR_END, everyMs: HOUR });
    expect(dueOf(host)).toEqual(
      Array.from({ length: 1_251 }, (_none, n) => NEW_YEAR + MINUTE + 7 * HOUR * (n + 1)),
    );
  });
});

/** Sleeps about every tenth look, for up to three days. */
function sleeper(seed: number): () => number {
  const random = seeded(seed);
  return () => (random() < 0.1 ? Math.floor(random() * 3 * DAY) : 0);
}

const CATCH_UPS = [null, 0, DAY] as const;

describe.each(OVERLAPS)("overlap %s, in a year in which the machine often sleeps", (overlap) => {
  it.each(CATCH_UPS)("with a window of %s ms", async (catchUpMs) => {
    const host = await simulatedHost(memorySchedules(), {
      ...{ timing: HOURLY, fromMs: NEW_YEAR, overlap, catchUpMs, takesMs: 90 * MINUTE },
    });
    const looks = await lookThrough(
      host,
      { from: NEW_YEAR, to: YEAR_END, everyMs: 30 * MINUTE },
      sleeper(CATCH_UPS.indexOf(catchUpMs)),
    );
    const wanted = wantedOf(looks, catchUpMs);
    const started = dueOf(host);
    expect(new Set(started).size).toBe(started.length);
    if (overlap === "all") expect(started).toEqual(wanted);
    if (overlap === "queue") expect(started).toEqual(wanted.slice(0, started.length));
    if (overlap === "skip" || overlap === "replace") {
      const of = new Set(wanted);
      expect(started.filter((due) => !of.has(due))).toEqual([]);
      expect(started.length).toBeGreaterThan(0);
    }
    checkOverlap(host, overlap);
  });
});

/** The hours that should fire, late or on time, computed independently. */
function wantedOf(looks: readonly number[], catchUpMs: number | null): number[] {
  const wanted: number[] = [];
  let settled = NEW_YEAR;
  for (const at of looks) {
    const hours: number[] = [];
    for (let hour = settled + HOUR; hour <= at; hour += HOUR) hours.push(hour);
    settled = hours.at(-1) ?? settled;
    if (catchUpMs === null) wanted.push(...hours.slice(-1).filter((hour) => at - hour <= HOUR));
    else wanted.push(...hours.filter((hour) => at - hour <= Math.max(catchUpMs, MINUTE)));
  }
  return wanted;
}

function checkOverlap(host: SimulatedHost, overlap: Overlap): void {
  const threads = [...host.threads.values()];
  const atOnce = threads.filter(({ startedAt }, n) => (threads[n - 1]?.endsAt ?? 0) > startedAt);
  const aborted = threads.filter((thread) => thread.aborted);
  if (overlap === "all") expect(atOnce.length).toBeGreaterThan(0);
  else expect(atOnce).toEqual([]);
  if (overlap === "replace") expect(aborted.length).toBeGreaterThan(0);
  else expect(aborted).toEqual([]);
}

describe("a firing", () => {
  it.each(OVERLAPS)(
    "is started once wherever the host dies, with overlap %s",
    { timeout: 60_000 },
    async (overlap) => {
      const random = seeded(7);
      let armed = true;
      const host = await simulatedHost(memorySchedules(), {
        ...{ timing: HOURLY, fromMs: NEW_YEAR, overlap, catchUpMs: DAY, takesMs: 50 * MINUTE },
        dies: () => armed && random() < 0.3,
      });
      await lookThrough(host, { from: NEW_YEAR, to: NEW_YEAR + 30 * DAY, everyMs: 20 * MINUTE });
      armed = false;
      await host.lookAt(NEW_YEAR + 30 * DAY);
      const due = dueOf(host);
      expect(due).toEqual(Array.from({ length: 30 * 24 }, (_none, n) => NEW_YEAR + (n + 1) * HOUR));
      const firings = await host.firings();
      expect(firings.map(({ dueAt }) => dueAt)).toEqual(due);
      expect(firings.filter(({ state }) => state !== "started" && state !== "ended")).toEqual([]);
    },
  );

  it("that waited for another one is started when that has ended, in order", async () => {
    const host = await simulatedHost(memorySchedules(), {
      ...{
        timing: HOURLY,
        fromMs: NEW_YEAR,
        overlap: "queue",
        catchUpMs: DAY,
        takesMs: 30 * MINUTE,
      },
    });
    await host.lookAt(NEW_YEAR + 5 * HOUR);
    for (let n = 1; n < 6; n += 1) {
      expect(host.threads.size).toBe(n);
      await host.lookAt(NEW_YEAR + 5 * HOUR + n * 30 * MINUTE - 1);
      expect(host.threads.size).toBe(n);
      await host.lookAt(NEW_YEAR + 5 * HOUR + n * 30 * MINUTE);
    }
    expect(dueOf(host).slice(0, 5)).toEqual([1, 2, 3, 4, 5].map((n) => NEW_YEAR + n * HOUR));
  });

  it("is skipped, with the reason, while an earlier thread has not ended", async () => {
    const host = await simulatedHost(memorySchedules(), {
      ...{ timing: HOURLY, fromMs: NEW_YEAR, takesMs: 90 * MINUTE },
    });
    for (const n of [1, 2, 3]) await host.lookAt(NEW_YEAR + n * HOUR);
    expect(await host.firings()).toMatchObject([
      { state: "ended", threadId: "thread-0" },
      { state: "skipped", reason: "thread thread-0 had not ended" },
      { state: "started", threadId: "thread-1" },
    ]);
  });

  it("that was missed is remembered as missed, but for the last one", async () => {
    const host = await simulatedHost(memorySchedules(), { timing: HOURLY, fromMs: NEW_YEAR });
    await host.lookAt(NEW_YEAR + 3 * HOUR + 59 * MINUTE);
    const states = (await host.firings()).map(({ state }) => state);
    expect(states).toEqual(["missed", "missed", "started"]);
    expect((await host.schedule()).nextAt).toBe(NEW_YEAR + 4 * HOUR);
  });

  it("is not made up for after an hour, unless a window says so", async () => {
    const late = NEW_YEAR + DAY + 3 * HOUR;
    for (const [catchUpMs, started] of [
      [null, 0],
      [0, 0],
      [2 * HOUR, 1],
      [2 * DAY, 2],
    ] as const) {
      const host = await simulatedHost(memorySchedules(), {
        ...{ timing: NIGHTLY, fromMs: NEW_YEAR, catchUpMs, overlap: "all" },
      });
      await host.lookAt(late);
      expect(host.threads.size).toBe(started);
    }
  });

  it("waits for its part of the jitter, always the same", async () => {
    const starts = async (): Promise<number[]> => {
      const host = await simulatedHost(memorySchedules(), {
        ...{ timing: HOURLY, fromMs: NEW_YEAR, jitterMs: 30 * MINUTE },
      });
      await lookThrough(host, { from: NEW_YEAR, to: NEW_YEAR + 2 * DAY, everyMs: MINUTE });
      const due = dueOf(host);
      return [...host.threads.values()].map(({ startedAt }, n) => startedAt - (due[n] ?? 0));
    };
    const [first, second] = [await starts(), await starts()];
    expect(second).toEqual(first);
    expect(first).toHaveLength(47);
    expect(Math.max(...first)).toBeLessThanOrEqual(30 * MINUTE);
    expect(new Set(first).size).toBeGreaterThan(10);
  });

  it("of a schedule that is paused is neither planned nor started", async () => {
    const schedules = memorySchedules();
    const host = await simulatedHost(schedules, {
      ...{ timing: HOURLY, fromMs: NEW_YEAR, overlap: "queue", takesMs: 90 * MINUTE },
    });
    await host.lookAt(NEW_YEAR + HOUR);
    await host.lookAt(NEW_YEAR + 2 * HOUR);
    await schedules.pause({ name: "it", nowMs: NEW_YEAR + 2 * HOUR });
    await host.lookAt(NEW_YEAR + 5 * HOUR);
    expect(host.threads.size).toBe(1);
    await schedules.resume({ name: "it", nextAt: NEW_YEAR + 6 * HOUR });
    await host.lookAt(NEW_YEAR + 5 * HOUR);
    expect(dueOf(host)).toEqual([NEW_YEAR + HOUR, NEW_YEAR + 2 * HOUR]);
  });

  it("that had been due once is due never again", async () => {
    const host = await simulatedHost(memorySchedules(), {
      ...{ timing: { kind: "at", atMs: NEW_YEAR + HOUR }, fromMs: NEW_YEAR },
    });
    await lookThrough(host, { from: NEW_YEAR, to: NEW_YEAR + DAY, everyMs: 10 * MINUTE });
    expect(host.threads.size).toBe(1);
    expect((await host.schedule()).nextAt).toBeNull();
  });
});
