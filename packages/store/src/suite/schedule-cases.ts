import assert from "node:assert/strict";
import {
  FIRINGS_KEPT,
  type Firing,
  type FiringState,
  failureFrom,
  type Schedule,
  type SchedulePlan,
  type Schedules,
} from "@uncaged/workflow-protocol";

/** One promise of the port. `run` rejects when the store breaks it. */
export type SchedulesCase = {
  /** A sentence about behaviour. */
  name: string;
  /** Needs a fresh, empty store each time. */
  run(schedules: Schedules): Promise<void>;
};

/** The contract of `Schedules`, as cases for any test runner. */
export const schedulesCases: readonly SchedulesCase[] = [
  {
    name: "keeps a schedule as it was given, by name",
    async run(schedules) {
      const later = sample({ name: "weekly" });
      const first = sample({ name: "nightly", nextAt: null, createdAt: 7 });
      await schedules.add(later);
      await schedules.add(first);
      const [a, b] = [
        { ...first, pausedAt: null },
        { ...later, pausedAt: null },
      ];
      assert.deepEqual(await schedules.list(), [a, b]);
      assert.deepEqual(await schedules.get("nightly"), a);
      assert.equal(await schedules.get("hourly"), null);
    },
  },
  {
    name: "refuses a name that is taken, and leaves what has it",
    async run(schedules) {
      await schedules.add(sample({}));
      const thrown = await schedules.add(sample({ nextAt: 9 })).catch((reason: unknown) => reason);
      assert.equal(failureFrom(thrown, "INTERNAL").code, "TARGET_EXISTS");
      assert.equal((await schedules.get("nightly"))?.nextAt, 1_000);
    },
  },
  {
    name: "settles due times once, however many decide about them",
    async run(schedules) {
      await schedules.add(sample({}));
      const settle = (dueAt: number) =>
        schedules.settle({
          ...{ name: "nightly", from: 1_000, nextAt: 3_000 },
          firings: [firing(dueAt, { state: "waiting" })],
        });
      const both = await Promise.all([settle(1_000), settle(2_000)]);
      assert.deepEqual(both.toSorted(), [false, true]);
      assert.equal((await schedules.open("nightly")).length, 1);
      assert.equal((await schedules.get("nightly"))?.nextAt, 3_000);
      assert.equal(await settle(2_500), false);
      assert.equal(
        await schedules.settle({ name: "gone", from: 1_000, nextAt: null, firings: [] }),
        false,
      );
    },
  },
  {
    name: "settles nothing of a paused schedule, and goes on where it is told to",
    async run(schedules) {
      await schedules.add(sample({}));
      assert.equal(await schedules.pause({ name: "nightly", nowMs: 5 }), true);
      assert.equal(await schedules.pause({ name: "nightly", nowMs: 6 }), false);
      assert.equal((await schedules.get("nightly"))?.pausedAt, 5);
      const settle = { name: "nightly", from: 1_000, nextAt: null, firings: [] };
      assert.equal(await schedules.settle(settle), false);
      assert.equal(await schedules.resume({ name: "nightly", nextAt: 4_000 }), true);
      assert.equal(await schedules.resume({ name: "nightly", nextAt: 5_000 }), false);
      assert.deepEqual(await schedules.get("nightly"), {
        ...sample({ nextAt: 4_000 }),
        pausedAt: null,
      });
      assert.equal(await schedules.pause({ name: "gone", nowMs: 5 }), false);
      assert.equal(await schedules.resume({ name: "gone", nextAt: null }), false);
    },
  },
  {
    name: "moves a firing only from the state that was seen",
    async run(schedules) {
      await schedules.add(sample({}));
      await schedules.insert("nightly", [firing(1_000, { state: "waiting" })]);
      const at = { schedule: "nightly", dueAt: 1_000 };
      const starting = { ...at, from: "waiting", to: { state: "starting" } } as const;
      assert.equal(await schedules.move(starting), true);
      assert.equal(await schedules.move(starting), false);
      const started = { state: "started", threadId: "01J" } as const;
      assert.equal(await schedules.move({ ...at, from: "starting", to: started }), true);
      assert.deepEqual(await schedules.open("nightly"), [firing(1_000, started)]);
      const ended = { state: "ended", threadId: "01J" } as const;
      assert.equal(await schedules.move({ ...at, from: "started", to: ended }), true);
      assert.deepEqual(await schedules.open("nightly"), []);
      assert.deepEqual(await schedules.firings("nightly", 5), [firing(1_000, ended)]);
      assert.equal(await schedules.move({ ...starting, dueAt: 2_000 }), false);
    },
  },
  {
    name: "records again what started nothing, and nothing else",
    async run(schedules) {
      await schedules.add(sample({}));
      const states: FiringState[] = [
        { state: "waiting" },
        { state: "starting" },
        { state: "started", threadId: "01J" },
        { state: "ended", threadId: "01J" },
        { state: "skipped", reason: "one was\0 under way" },
        { state: "missed", reason: "the machine was off" },
        { state: "failed", reason: "no such workflow" },
      ];
      const known = states.map((state, at) => firing(at, state));
      assert.deepEqual(await schedules.insert("nightly", known), known);
      assert.deepEqual(await schedules.firings("nightly", 9), known.toReversed());
      const again = states.map((_state, at) => ({
        ...firing(at, { state: "waiting" }),
        overlap: "queue" as const,
      }));
      assert.deepEqual(await schedules.insert("nightly", again), again.slice(4));
      assert.deepEqual(await schedules.open("nightly"), [...known.slice(0, 3), ...again.slice(4)]);
      assert.deepEqual(await schedules.insert("gone", known), []);
    },
  },
  {
    name: "forgets the oldest closed firings, and never an open one",
    async run(schedules) {
      await schedules.add(sample({}));
      const missed = Array.from({ length: FIRINGS_KEPT + 5 }, (_none, at) =>
        firing(at + 1, { state: "missed", reason: "off" }),
      );
      const oldest = firing(0, { state: "waiting" });
      await schedules.settle({
        ...{ name: "nightly", from: 1_000, nextAt: 2_000 },
        firings: [oldest, ...missed],
      });
      const kept = await schedules.firings("nightly", 2 * FIRINGS_KEPT);
      assert.equal(kept.length, FIRINGS_KEPT + 1);
      assert.deepEqual(kept.at(-1), oldest);
      assert.equal(kept.at(-2)?.dueAt, 6);
    },
  },
  {
    name: "forgets a schedule with its firings; one made later of its name has none",
    async run(schedules) {
      await schedules.add(sample({}));
      await schedules.insert("nightly", [firing(1, { state: "waiting" })]);
      assert.equal(await schedules.remove("nightly"), true);
      assert.equal(await schedules.remove("nightly"), false);
      await schedules.add(sample({}));
      assert.deepEqual(await schedules.firings("nightly", 5), []);
    },
  },
];

const PLAN: SchedulePlan = {
  timing: { kind: "cron", cron: "0 9 * * 1-5", zone: "Europe/Zurich" },
  overlap: "skip",
  catchUpMs: null,
  jitterMs: 0,
  start: {
    workflow: "demo",
    prompt: 'Say "hello"\0',
    cwd: "/",
    limits: { steps: 7, costUsd: 0.5 },
    title: null,
    labels: { team: "core" },
    priority: -1,
  },
};

function sample(given: Partial<Schedule>): Omit<Schedule, "pausedAt"> {
  return { name: "nightly", plan: PLAN, createdAt: 1, nextAt: 1_000, ...given };
}

function firing(dueAt: number, state: FiringState): Firing {
  return { schedule: "nightly", dueAt, notBefore: dueAt, overlap: "skip", ...state };
}
