import { availableParallelism } from "node:os";
import { defaultExclude, defineConfig } from "vitest/config";

/** The real agent programs are hundreds of megabytes each: only those that are named run, by
 *  `npm run agents` or in CI. */
const labTests = (names: string) =>
  names
    .split(",")
    .filter((name) => name !== "")
    .map((name) => `packages/agent-lab/e2e/${name}.test.ts`);

/** Walks and the agents' runs have one of their own, so that CI can count all. */
const report = process.env.UNCAGED_TEST_REPORT ?? ".cache/test-report.json";

/** Files that measure the memory of their process while an agent floods it, so nothing else's garbage may be in it: trials,
 *  too. */
const MEMORY_TESTS = "packages/*/src/**/*.memory.test.ts";

/** Walks of newcomers: a page followed to the letter, from an install to a result. They take minutes, so `npm run walks`
 *  has them. */
const WALKS = "packages/cli/e2e/**/*.walk.test.ts";

/** What takes several threads, agents, people or machines: each has dozens of processes, and all together take twice as long
 *  as all other tests. `npm run stories` has them. */
const STORIES = "packages/cli/e2e/**/*.story.test.ts";

/** Processes that are killed or frozen, damaged storage, hostile input, agents that lie: `npm run trials` has them, because
 *  together they take as long as half of all the others. */
const TRIALS = {
  sources: "packages/*/src/**/*.trial.test.ts",
  commands: "packages/cli/e2e/**/*.trial.test.ts",
  scripts: "scripts/**/*.trial.test.mjs",
};

/** They need PgBouncer, which npm does not have. */
const POOLER_TESTS = "packages/*/src/**/*.pooler.test.ts";

/** What a test waits for comes late on a busy machine; the default is one second. */
const EXPECT = { poll: { timeout: 30_000 } };

const POSTGRES = "packages/store-postgres/src/testing/postgres-setup.test.helper.ts";

/** One process tests everything: `unit` and `memory` beside the sources, `house` for the root's own scripts,
 *  `e2e`, `stories` and `walks` for the built CLI, which starts processes and may wait for them, `trials` for what is done
 *  to it, `browser` for the built page in a real browser, `agents` for adapters with the real programs behind them. */
export default defineConfig({
  test: {
    // More than there are processors: most of the time is spent in children, and some of it waiting for them.
    maxWorkers: Math.ceil(availableParallelism() * 2),
    reporters: ["default", ["json", { outputFile: report }]],
    projects: [
      {
        test: {
          name: "unit",
          expect: EXPECT,
          globalSetup: [POSTGRES],
          include: ["packages/*/src/**/*.test.ts", "templates/*/src/**/*.test.ts"],
          exclude: [...defaultExclude, MEMORY_TESTS, POOLER_TESTS, TRIALS.sources],
          // One process for many files: starting one for each took longer than most of them.
          isolate: false,
          // A property with its first generator takes seconds on a busy machine.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "pooler",
          expect: EXPECT,
          globalSetup: [POSTGRES],
          include: [POOLER_TESTS],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "memory",
          expect: EXPECT,
          include: [MEMORY_TESTS],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "house",
          expect: EXPECT,
          include: ["scripts/**/*.test.mjs"],
          exclude: [...defaultExclude, TRIALS.scripts],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "agents",
          expect: EXPECT,
          include: labTests(process.env.UNCAGED_LAB_AGENTS ?? ""),
          testTimeout: 150_000,
        },
      },
      {
        test: {
          name: "e2e",
          expect: EXPECT,
          globalSetup: ["packages/cli/e2e/bundle-setup.ts", POSTGRES],
          include: ["packages/cli/e2e/**/*.test.ts"],
          exclude: [...defaultExclude, STORIES, WALKS, TRIALS.commands],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "stories",
          expect: EXPECT,
          globalSetup: ["packages/cli/e2e/bundle-setup.ts", POSTGRES],
          include: [STORIES],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "trials",
          expect: EXPECT,
          globalSetup: ["packages/cli/e2e/bundle-setup.ts", POSTGRES],
          include: Object.values(TRIALS),
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "browser",
          expect: EXPECT,
          include: ["packages/dashboard/e2e/**/*.test.ts"],
          // Four browsers at once on two slow processors take their time.
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        test: {
          name: "walks",
          expect: EXPECT,
          globalSetup: ["packages/cli/e2e/bundle-setup.ts", POSTGRES],
          include: [WALKS],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
