/** Schedules by the built command, with a real host. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Firing, Schedules, ThreadRecord } from "@uncaged/workflow-protocol";
import { openSchedules } from "@uncaged/workflow-store";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { type Hosted, hosted } from "./hosted.test.helper.ts";
import { untilThreads } from "./until-thread.test.helper.ts";

/** How often a host is killed while it starts firings, of which there are twice as many; `UNCAGED_TEST_KILLS` asks for
 *  more. */
const KILLS = Math.ceil(Number(process.env.UNCAGED_TEST_KILLS ?? 6) / 2);
const FIRINGS = 2 * KILLS;
const LOOK_EVERY_MS = 20;

let cli: Cli;
let host: Hosted;
beforeAll(async () => {
  cli = openCli();
  host = hosted(cli);
  await cli.addSteps("steps");
});
afterEach(async () => {
  await cli.here(["down"]);
});
afterAll(() => cli.close());

const PROMPT = JSON.stringify({ steps: 1 });
const PLACE = ["--title", "Soon", "--priority", "2"];
/** Due once a month: never during this test, but often in the past. */
const MONTHLY = ["--cron", "0 0 1 * *", "--zone", "UTC"];

async function add(name: string, ...words: string[]): Promise<{ hosted: boolean; nextAt: number }> {
  return cli.here(["schedule", "add", name, "--workflow", "steps", "-p", PROMPT, ...words]);
}

async function withSchedules<T>(use: (schedules: Schedules) => Promise<T>): Promise<T> {
  const schedules = await openSchedules(cli.root);
  return use(schedules).finally(() => schedules.close());
}

/** Makes a schedule due without waiting for the time. Returns the due time. */
async function dueNow(name: string, nextAt: number): Promise<number> {
  const dueAt = Date.now();
  const settle = { name, from: nextAt, nextAt: dueAt, firings: [] };
  expect(await withSchedules((schedules) => schedules.settle(settle))).toBe(true);
  return dueAt;
}

/** The first firing of a schedule that matches. */
async function untilFirings(
  name: string,
  holds: (firings: readonly Firing[]) => boolean,
): Promise<readonly Firing[]> {
  return withSchedules(async (schedules) => {
    for (;;) {
      const firings = await schedules.firings(name, 1_000);
      if (holds(firings)) return firings;
      await sleep(LOOK_EVERY_MS);
    }
  });
}

const isDone = ({ state }: Firing): boolean => state === "ended";

/** The threads that a schedule started, once all of them have ended. */
function threadsOf(name: string): Promise<readonly ThreadRecord[]> {
  return untilThreads(cli.root, (threads) => {
    const started = threads.filter(({ labels }) => labels.schedule === name);
    return started.every(({ status }) => status === "completed") ? started : null;
  });
}

describe("a schedule", () => {
  it("is started by the host when it is due, with its labels, and says when it is due next", async () => {
    expect(await add("later", "--every", "2h")).toMatchObject({ hosted: false });
    await host.up();
    const made = await add("soon", "--every", "1h", "--label", "team=core", ...PLACE);
    expect(made.hosted).toBe(true);
    expect(await cli.json(["status"])).toMatchObject({
      nextDue: { schedule: "soon", dueAt: made.nextAt },
    });
    const dueAt = await dueNow("soon", made.nextAt);
    const [firing] = await untilFirings("soon", (all) => all.some(isDone));
    const [thread] = await threadsOf("soon");
    expect(thread).toMatchObject({
      title: "Soon",
      priority: 2,
      labels: { team: "core", schedule: "soon" },
    });
    expect(firing).toMatchObject({ threadId: thread?.threadId, dueAt });
    expect(await cli.here(["schedule", "show", "soon"])).toMatchObject({
      nextAt: made.nextAt,
      firings: [{ state: "ended" }],
    });
  });

  it("is started by hand without a host, whenever it is due", async () => {
    await add("by-hand", ...MONTHLY);
    const { threadId } = await cli.json<{ threadId: string }>(["schedule", "run", "by-hand"]);
    const [thread] = await threadsOf("by-hand");
    expect(thread?.threadId).toBe(threadId);
    expect(await cli.here(["schedule", "show", "by-hand"])).toMatchObject({
      firings: [{ state: "started", threadId }],
    });
  });

  it("that is paused fires nothing, and skips only what was due meanwhile", async () => {
    const { nextAt } = await add("resting", ...MONTHLY);
    const paused = await cli.json<{ pausedAt: number }>(["schedule", "pause", "resting"]);
    expect(paused.pausedAt).toBeGreaterThan(0);
    expect(await cli.here(["schedule", "list"])).toMatchObject({
      schedules: expect.arrayContaining([expect.objectContaining({ name: "resting", ...paused })]),
    });
    expect(await cli.json(["schedule", "resume", "resting"])).toEqual({
      ...{ name: "resting", nextAt, pausedAt: null },
    });
    await cli.json(["schedule", "rm", "resting"]);
    expect(await cli.fails(["schedule", "show", "resting"])).toMatchObject({
      ...{ exit: 1, code: "SCHEDULE_NOT_FOUND" },
    });
  });

  it("whose workflow is gone says so for each due time", async () => {
    await cli.addSteps("gone");
    await cli.json(["schedule", "add", "lost", "--workflow", "gone", "-p", "Go", ...MONTHLY]);
    await cli.json(["workflow", "rm", "gone"]);
    expect(await cli.fails(["schedule", "run", "lost"])).toMatchObject({
      ...{ exit: 1, code: "WORKFLOW_NOT_FOUND" },
    });
    expect(await cli.here(["schedule", "show", "lost"])).toMatchObject({
      firings: [{ state: "failed", reason: expect.stringContaining('"gone"') }],
    });
  });
});

describe("each due time has one thread", () => {
  it("however often the host is killed while it starts them", async () => {
    const now = new Date();
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - FIRINGS, 2));
    await add("monthly", ...MONTHLY);
    const words = ["--from", from.toISOString().slice(0, 16), "--overlap", "all"];
    const { firings } = await cli.json<{ firings: Firing[] }>([
      ...["schedule", "backfill", "monthly"],
      ...words,
    ]);
    expect(firings).toHaveLength(FIRINGS);
    const begun = (all: readonly Firing[]): number =>
      all.filter(({ state }) => state !== "waiting").length;
    for (let kill = 0; kill < KILLS; kill += 1) {
      await host.up();
      // Somewhere between the decision to fire and its record.
      const before = begun(await untilFirings("monthly", () => true));
      await untilFirings("monthly", (all) => begun(all) > before || begun(all) === FIRINGS);
      await sleep(Math.random() * 100);
      await host.kill();
    }
    await host.up();
    const done = await untilFirings("monthly", (all) => all.every(isDone));
    const threads = await threadsOf("monthly");
    expect(threads).toHaveLength(FIRINGS);
    const started = done.flatMap((firing) => ("threadId" in firing ? [firing.threadId] : []));
    expect(started.toSorted()).toEqual(threads.map(({ threadId }) => threadId).toSorted());
    // Backfilled again, nothing is left to do.
    expect(await cli.json(["schedule", "backfill", "monthly", ...words])).toMatchObject({
      firings: [],
    });
  });

  it.each(["due", "made", "run"])(
    "when the host is killed once its thread is %s, but not noted",
    async (left) => {
      const name = `left-${left}`;
      await add(name, ...MONTHLY);
      const dueAt = Date.UTC(2026, 0, 1);
      const thread = await withSchedules(async (schedules) => {
        const createdAt = (await schedules.get(name))?.createdAt;
        const firing = { schedule: name, dueAt, notBefore: dueAt, overlap: "skip" } as const;
        await schedules.insert(name, [{ ...firing, state: "starting" }]);
        const key = `schedule ${name} ${createdAt} 2026-01-01T00:00:00.000Z`;
        const words = [
          "run",
          "steps",
          "-p",
          PROMPT,
          "--id-key",
          key,
          "--label",
          `schedule=${name}`,
        ];
        if (left === "due") return null;
        const how = left === "made" ? "--idle" : "--wait";
        return (await cli.json<{ threadId: string }>([...words, how])).threadId;
      });
      await host.up();
      const [firing] = await untilFirings(name, (all) => all.some(isDone));
      const threads = await threadsOf(name);
      expect(threads).toHaveLength(1);
      expect(firing).toMatchObject({ dueAt, threadId: threads[0]?.threadId });
      if (thread !== null) expect(threads[0]?.threadId).toBe(thread);
    },
  );
});

describe("a mistake", () => {
  const nothing = ["schedule", "add", "new"];
  const what = ["--workflow", "steps", "-p", "Go"];
  it.each([
    ["a cron expression with a wrong field", ["--cron", "61 9 * * *"], 2, "USAGE"],
    ["a cron expression that is never due", ["--cron", "0 9 30 2 *"], 2, "USAGE"],
    ["an unknown time zone", ["--cron", "0 9 * * *", "--zone", "Mars/Olympus"], 2, "USAGE"],
    ["a time that has passed", ["--at", "2020-01-01T00:00"], 2, "USAGE"],
    ["words that are no time", ["--at", "tomorrow"], 2, "USAGE"],
    ["no time at all", [], 2, "USAGE"],
    ["two times", ["--every", "2h", "--at", "2099-01-01T00:00"], 2, "USAGE"],
    ["an interval of nothing", ["--every", "0"], 2, "USAGE"],
    ["a zone for an interval", ["--every", "2h", "--zone", "UTC"], 2, "USAGE"],
    ["an unknown way to overlap", ["--every", "2h", "--overlap", "often"], 2, "USAGE"],
    ["an empty prompt", ["--every", "2h", "-p", " "], 2, "USAGE"],
    ["a folder that is not there", ["--every", "2h", "--cwd", "nowhere"], 2, "FILE_NOT_FOUND"],
    ["an unknown workflow", ["--every", "2h", "--workflow", "nope"], 1, "WORKFLOW_NOT_FOUND"],
  ])("with %s adds nothing", async (_what, words, exit, code) => {
    const failed = await cli.fails([...nothing, ...what, ...words]);
    expect(failed).toMatchObject({ exit, code });
    expect(failed.hint).not.toBe("");
    expect(await withSchedules((schedules) => schedules.get("new"))).toBeNull();
  });

  it("in a name, or a name that is taken, is reported", async () => {
    const words = [...what, "--every", "2h"];
    await cli.json(["schedule", "add", "taken", ...words]);
    expect(await cli.fails(["schedule", "add", "taken", ...words])).toMatchObject({
      ...{ exit: 2, code: "TARGET_EXISTS" },
    });
    expect(await cli.fails(["schedule", "add", "Not A Name", ...words])).toMatchObject({
      ...{ exit: 2, code: "USAGE" },
    });
    for (const verb of ["show", "pause", "resume", "run", "rm"])
      expect(await cli.fails(["schedule", verb, "nope"])).toMatchObject({
        ...{ exit: 1, code: "SCHEDULE_NOT_FOUND" },
      });
    expect(await cli.fails(["schedule", "backfill", "taken"])).toMatchObject({ code: "USAGE" });
    const long = ["schedule", "backfill", "every-minute", "--from", "2026-01-01T00:00"];
    await cli.json(["schedule", "add", "every-minute", ...what, "--cron", "* * * * *"]);
    expect(await cli.fails(long)).toMatchObject({ code: "USAGE" });
  });
});
