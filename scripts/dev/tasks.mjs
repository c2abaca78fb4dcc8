import { link, parseLink } from "./link.mjs";

/** Every task of the repository: what must be in place before it, and the commands that are it.
 *  `prepare` runs one process at a time (see lock.mjs); the commands of two tasks may overlap.
 *  `here` is work that needs the person's own environment: it runs in this process and returns lines to print. */

const INSTALL = {
  says: "installing dependencies",
  hint: "After a change of a package.json: `node scripts/dev.mjs exec pnpm install`, and commit pnpm-lock.yaml.",
  command: {
    command: "pnpm",
    args: [
      "install",
      "--frozen-lockfile",
      "--prefer-offline",
      "--reporter=append-only",
      "--config.confirm-modules-purge=false",
    ],
  },
};

const COMPILE = {
  says: "compiling",
  hint: "The compiler's messages are above.",
  command: { command: "tsc", args: ["-b"] },
};

/** What packages do to their own compiled output, floor by floor (script `bundle`), and what is to go from there (`tidy`).
 *  Another run's tests may be reading that output: a bundler replaces a file only if its bytes differ. */
const BUNDLE = {
  says: "bundling",
  hint: "The bundler's messages are above.",
  command: {
    command: "turbo",
    args: ["run", "bundle", "tidy", "--output-logs=errors-only", "--no-update-notifier"],
  },
};

/** They have commands of their own. */
const NOT_IN_TEST = ["stories", "walks", "trials", "memory", "browser", "pooler"].flatMap(
  (name) => ["--project", `!${name}`],
);

/** How often the trials kill, race, lie and play seeds in the long form; what a test does without them is at its top. */
const LONG_TRIALS = {
  UNCAGED_TEST_COORDINATOR_KILLS: "30",
  UNCAGED_TEST_FILES: "5000",
  UNCAGED_TEST_FILE_STEPS: "10",
  UNCAGED_TEST_FLEET: "20",
  UNCAGED_TEST_FLIPS: "all",
  UNCAGED_TEST_GIT_KILLS: "1000",
  UNCAGED_TEST_GROUP_KILLS: "100",
  UNCAGED_TEST_KILLS: "60",
  UNCAGED_TEST_LIES: "100",
  UNCAGED_TEST_RACES: "60",
  UNCAGED_TEST_SEEDS: "300",
  UNCAGED_TEST_TASK_KILLS: "1000",
};

/** `UNCAGED_TEST_BUILT`: the tests need not bundle the command line first. */
const vitest = (args, env = {}) => ({
  command: "vitest",
  args: ["run", ...args],
  env: { UNCAGED_TEST_BUILT: "1", ...env },
});

const INSTALLED = [INSTALL];
const BUILT = [INSTALL, COMPILE, BUNDLE];
const node = (...args) => ({ command: "node", args });

export const TASKS = {
  test: {
    says: "build, then run the tests (arguments go to vitest)",
    prepare: BUILT,
    commands: (args) => [vitest([...NOT_IN_TEST, ...args])],
  },
  stories: {
    says: "build, then have several threads, agents, people or machines work together (arguments go to vitest)",
    prepare: BUILT,
    commands: (args) => [vitest(["--project", "stories", ...args])],
  },
  browser: {
    says: "build, then try the page in a browser: Chromium, found or named by CHROMIUM_PATH (arguments go to vitest)",
    prepare: BUILT,
    commands: (args) => [vitest(["--project", "browser", ...args])],
  },
  pooler: {
    says: "build, then use PostgreSQL through PgBouncer, which has to be installed (arguments go to vitest)",
    prepare: BUILT,
    commands: (args) => [vitest(["--project", "pooler", ...args])],
  },
  trials: {
    says: "build, then kill, freeze, damage, flood and attack it, and lie to it (--long: far more often; other arguments go to vitest)",
    prepare: BUILT,
    commands: (args) => [
      vitest(
        ["--project", "trials", "--project", "memory", ...args.filter((arg) => arg !== "--long")],
        args.includes("--long") ? LONG_TRIALS : {},
      ),
    ],
  },
  walks: {
    says: "build, then walk as a newcomer does, from an install to a result (arguments go to vitest)",
    prepare: BUILT,
    commands: (args) => [vitest(["--project", "walks", ...args])],
  },
  demo: {
    says: "build, then watch a real job go through a real workflow",
    prepare: BUILT,
    commands: (args) => [node("examples/demo/demo.mjs", ...args)],
  },
  cluster: {
    says: "build, then watch threads on three workers that are killed (--short)",
    prepare: BUILT,
    commands: (args) => [node("examples/cluster/cluster.mjs", ...args)],
  },
  check: {
    says: "build, then floors, style, unused code, manifests, packed packages",
    prepare: BUILT,
    commands: (args) => [node("scripts/check.mjs", ...args)],
  },
  build: {
    says: "install, compile and bundle",
    prepare: BUILT,
    commands: () => [],
  },
  link: {
    says: "build, then put uncaged-workflow and uwf on the PATH (--prefix <folder>; --remove)",
    prepare: BUILT,
    here: { parse: parseLink, needsNoBuild: ({ remove }) => remove, run: link },
  },
  release: {
    says: "build, then publish every package (--dry-run: to a registry on this machine, and try it from there)",
    prepare: BUILT,
    commands: (args) => [node("scripts/release.mjs", ...args)],
  },
  bench: {
    says: "build, then run the benchmarks (arguments: names of some)",
    prepare: BUILT,
    commands: (args) => [node("scripts/bench.mjs", ...args)],
  },
  faults: {
    says: "build, then inject real faults, as root on Linux (--short; names of some classes)",
    prepare: BUILT,
    commands: (args) => [node("faults/run.mjs", ...args)],
  },
  agents: {
    says: "build, then try the adapters with real agent programs (arguments: names of some)",
    prepare: BUILT,
    commands: (args) => [node("scripts/agents.mjs", ...args)],
  },
  scale: {
    says: "build, then see how far it goes (arguments: steps, threads, blobs, blob)",
    prepare: BUILT,
    commands: (args) => [node("bench/scale.mjs", ...args)],
  },
  simulate: {
    says: "build, then play seeds: of a disk that loses what was not flushed, of the merge queue (queue), or of machines that share a root (shared); --seeds n --seed s",
    prepare: BUILT,
    commands: ([what = "", ...args]) => [
      ["queue", "shared"].includes(what)
        ? node(
            "--import",
            `./simulation/parts/${what}-hooks.mjs`,
            `simulation/${what}.mjs`,
            ...args,
          )
        : node(
            ...["--import", "./simulation/parts/hooks.mjs", "simulation/simulate.mjs"],
            ...[what, ...args].filter(Boolean),
          ),
    ],
  },
  format: {
    says: "format and mend what biome can mend",
    prepare: INSTALLED,
    commands: (args) => [{ command: "biome", args: ["check", "--write", ...args] }],
  },
  exec: {
    says: "run any command with the repository's toolchain",
    commands: ([command, ...args]) => (command === undefined ? [] : [{ command, args }]),
  },
};

export function usage() {
  const lines = Object.entries(TASKS).map(([name, task]) => `  ${name.padEnd(8)}${task.says}`);
  return [
    "Usage: node scripts/dev.mjs <task> [arguments]",
    "",
    ...lines,
    "  env     print the PATH of the toolchain, for eval in a shell",
    "",
    "Example: node scripts/dev.mjs test packages/cas",
    "",
  ].join("\n");
}
