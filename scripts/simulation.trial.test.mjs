/** The simulation of engine and stores on a lossy disk: many seeds, and whether it sees what is broken. */
import { describe, expect, it } from "vitest";
import { BREAKS } from "../simulation/parts/break.mjs";
import { QUEUE_BREAKS } from "../simulation/parts/queue-breaks.mjs";
import { SHARED_BREAKS } from "../simulation/parts/shared-breaks.mjs";
import { simulate, simulateQueue, simulateShared } from "./simulation.test.helper.mjs";

/** `npm run trials -- --long` asks for more. */
const SEEDS = Number(process.env.UNCAGED_TEST_SEEDS ?? 60);
/** These take a hundredth of the time. */
const QUEUE_SEEDS = 4 * SEEDS;
const SLOW = { timeout: 240_000 };

describe("on a disk that loses and tears what was not flushed", () => {
  it(`nothing is lost over ${SEEDS} seeds`, SLOW, async () => {
    const { code, stdout, stderr } = await simulate(["--seeds", String(SEEDS)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`${SEEDS} seeds, `);
    expect(stdout).toMatch(
      /^\d+ seeds, \d{3,} power cuts in \d{5,} operations: nothing was lost\n$/u,
    );
  });

  it("a seed always plays the same", SLOW, async () => {
    const told = await Promise.all([11, 11].map((seed) => simulate(["--seed", String(seed)])));
    expect(told[0]).toEqual(told[1]);
    expect(told[0]?.stdout.split("\n").length).toBeGreaterThan(14);
  });

  it.each(Object.keys(BREAKS))("%s are found", SLOW, async (name) => {
    const { code, stdout, stderr } = await simulate(["--seeds", "100"], { SIMULATION_BREAK: name });
    expect(code, stdout).not.toBe(0);
    expect(stderr).not.toMatch(/\.js has no "|SyntaxError/u);
  });
});

describe("the merge queue, with agents that lie and everybody killed", () => {
  it(
    `merges nothing false over ${QUEUE_SEEDS} seeds, and all that is mended gets in`,
    SLOW,
    async () => {
      const { code, stdout, stderr } = await simulateQueue(["--seeds", String(QUEUE_SEEDS)]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`${QUEUE_SEEDS} seeds, `);
      expect(stdout).toMatch(/^\d+ seeds, \d{3,} merges, \d{3,} kills: no false merge/u);
    },
  );

  it("a seed always plays the same", SLOW, async () => {
    const told = await Promise.all([11, 11].map((seed) => simulateQueue(["--seed", String(seed)])));
    expect(told[0]).toEqual(told[1]);
  });

  it.each(Object.keys(QUEUE_BREAKS))("%s is found", SLOW, async (name) => {
    const { code, stderr } = await simulateQueue(["--seeds", "100"], { SIMULATION_BREAK: name });
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/\.js has no "|SyntaxError/u);
  });
});

describe("machines that share a root, with a network that loses, delays and doubles", () => {
  it(`nothing is lost, done twice or worked on twice over ${SEEDS} seeds`, SLOW, async () => {
    const { code, stdout, stderr } = await simulateShared(["--seeds", String(SEEDS)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^\d+ seeds, \d{3,} steps, \d{3,} of \d{4,} messages lost, late or doubled, \d{2,} crashes: nothing was lost/u,
    );
  });

  it("a seed always plays the same", SLOW, async () => {
    const told = await Promise.all(
      [11, 11].map((seed) => simulateShared(["--seed", String(seed)])),
    );
    expect(told[0]).toEqual(told[1]);
  });

  it.each(Object.keys(SHARED_BREAKS))("%s is found", SLOW, async (name) => {
    // The rarest needs one of 500 seeds; from here on, one comes soon.
    const seeds = ["--from", "450", "--seeds", "1000"];
    const { code, stderr } = await simulateShared(seeds, { SIMULATION_BREAK: name });
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/\.js has no "|SyntaxError/u);
  });
});
