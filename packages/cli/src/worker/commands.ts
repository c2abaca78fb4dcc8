/** Workers: processes that run the threads of some pools. */
import type { Command, CommandGroup } from "../command/command.ts";
import {
  type Argument,
  countOption,
  durationOption,
  type Given,
  type Option,
  optionalArgument,
  repeatedOption,
  switchOption,
  usageError,
} from "../command/options.ts";
import { placeNames } from "../command/placement-options.ts";
import { startTask } from "../task/commands.ts";

const pool: Option<readonly string[]> = repeatedOption(
  "--pool <name>",
  "a pool whose threads it runs; without this option the command is `task start`",
);
const label: Option<readonly string[]> = repeatedOption(
  "--label <name>",
  "what this machine has that threads may need",
);
const atOnce: Option<number | null> = countOption(
  "--at-once <n>",
  "threads that it runs at the same time (default: as many as the limits allow)",
  { atLeast: 1 },
);
const grace: Option<number | null> = durationOption(
  "--grace <duration>",
  "after SIGTERM, how long steps under way may take to finish (default: 20s)",
);
const health: Option<number | null> = countOption(
  "--health <port>",
  "answer /healthz and /readyz on this port of every interface; 0: any free one",
  { atLeast: 0 },
);
const ofWorkers: readonly Option<unknown>[] = [pool, label, atOnce, grace, health];

const DEFAULT_GRACE_MS = 20_000;
const LAST_PORT = 65_535;

const start: Command = {
  description: "Run the threads of these pools on this machine until it is drained.",
  arguments: startTask.arguments,
  options: [...ofWorkers, ...startTask.options],
  example: "--pool default --pool gpu --label linux --at-once 4",
  run: async (given, io) => {
    const pools = placeNames(given(pool), "--pool");
    if (pools.length === 0) {
      refuse(given, ofWorkers, "--pool is missing: name the pools whose threads it is to run");
      return startTask.run(given, io);
    }
    const ofTasks = [...startTask.arguments, ...startTask.options];
    refuse(given, ofTasks, "--pool starts a worker, which is not about a task; leave one out");
    const port = given(health);
    if (port !== null && port > LAST_PORT)
      throw usageError(`--health must be at most ${LAST_PORT}`);
    const { runWorker } = await import("./start.ts");
    return runWorker(
      {
        ...{ pools, labels: placeNames(given(label), "--label"), atOnce: given(atOnce) },
        graceMs: given(grace) ?? DEFAULT_GRACE_MS,
        health: port,
      },
      io,
    );
  },
};

function refuse(
  given: Given,
  inputs: readonly (Option<unknown> | Argument<unknown>)[],
  why: string,
): void {
  const isGiven = (value: unknown): boolean =>
    Array.isArray(value) ? value.length > 0 : value !== null;
  if (inputs.some((input) => isGiven(given(input)))) throw usageError(why);
}

const list: Command = {
  description: "List the workers of this storage root, and what they run.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./list.ts")).listWorkers(io),
};

const which = optionalArgument(
  "worker",
  "its name, or an unambiguous beginning or end; left out: the one of this machine",
);
const wait: Option<boolean> = switchOption("--wait", "until it has ended");

const drain: Command = {
  description:
    "Have a worker take nothing new, hand its threads over after the step under way, and end.",
  arguments: [which],
  options: [wait],
  example: "--wait",
  run: async (given, io) =>
    (await import("./drain.ts")).drainWorker({ which: given(which), wait: given(wait) }, io),
};

export const workerCommands: CommandGroup = { commands: { start, list, drain } };
