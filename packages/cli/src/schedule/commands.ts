/** Commands for starting threads automatically at set times. */
import { OVERLAPS, type Overlap } from "@uncaged/workflow-protocol";
import type { Command, CommandGroup } from "../command/command.ts";
import {
  type Argument,
  choiceOption,
  countOption,
  durationOption,
  type Option,
  requiredArgument,
  textOption,
  usageError,
} from "../command/options.ts";
import { plannedStartOf, plannedStartOptions } from "../thread/start/planned-start.ts";
import { timingOf, timingOptions } from "./timing-options.ts";

const newName: Argument<string> = requiredArgument("new-name", "what to call it");
const schedule: Argument<string> = requiredArgument("schedule", "name of a schedule");

const overlap: Option<Overlap | null> = choiceOption(
  "--overlap <how>",
  "what to do at a due time while a thread of the schedule has not ended; default: skip",
  OVERLAPS,
);
const catchUp: Option<number | null> = durationOption(
  "--catch-up <window>",
  "make up for all missed due times that are no older than this, such as 2h, or 0 for none (default: only the last one, within 1h)",
);
const jitter: Option<number | null> = durationOption(
  "--jitter <duration>",
  "start each thread at a random time up to this much later",
);

const add: Command = {
  description: "Add a schedule: the host starts a thread each time it is due.",
  arguments: [newName],
  options: [...timingOptions, ...plannedStartOptions, overlap, catchUp, jitter],
  example:
    'nightly --cron "0 9 * * 1-5" --zone Europe/Zurich --workflow review --prompt "Review what is new"',
  run: async (given, io) => {
    const { addSchedule } = await import("./add.ts");
    return addSchedule(
      {
        name: given(newName),
        timing: timingOf(given),
        start: plannedStartOf(given),
        overlap: given(overlap) ?? "skip",
        catchUpMs: given(catchUp),
        jitterMs: given(jitter) ?? 0,
      },
      io,
    );
  },
};

const list: Command = {
  description: "List the schedules, each with when it is due next.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./list.ts")).listSchedules(io),
};

const limit: Option<number | null> = countOption(
  "--limit <n>",
  "how many firings to show, the latest first (default: 10)",
  { atLeast: 1 },
);
const show: Command = {
  description: "Show a schedule, and what happened at its latest due times.",
  arguments: [schedule],
  options: [limit],
  example: "nightly",
  run: async (given, io) =>
    (await import("./show.ts")).showSchedule(
      { name: given(schedule), limit: given(limit) ?? 10 },
      io,
    ),
};

const pause: Command = {
  description: "Pause a schedule: it starts nothing until it is resumed.",
  arguments: [schedule],
  options: [],
  example: "nightly",
  run: async (given, io) => (await import("./change.ts")).pause(given(schedule), io),
};

const resume: Command = {
  description: "Resume a schedule; what was due meanwhile is not started.",
  arguments: [schedule],
  options: [],
  example: "nightly",
  run: async (given, io) => (await import("./change.ts")).resume(given(schedule), io),
};

const run: Command = {
  description: "Start a schedule's thread now and print its id, whatever is under way.",
  arguments: [schedule],
  options: [],
  example: "nightly",
  run: async (given, io) => (await import("./change.ts")).runNow(given(schedule), io),
};

const rm: Command = {
  description: "Remove a schedule. Threads that it started stay.",
  arguments: [schedule],
  options: [],
  example: "nightly",
  run: async (given, io) => (await import("./change.ts")).remove(given(schedule), io),
};

const from: Option<string | null> = textOption(
  "--from <time>",
  "first due time to make up for, such as 2026-11-01T00:00; in the schedule's time zone",
);
const to: Option<string | null> = textOption("--to <time>", "last due time (default: now)");
/** With the schedule's own `skip`, only one would be made up for. */
const backfillOverlap: Option<Overlap | null> = choiceOption(
  "--overlap <how>",
  "what to do while a thread of the schedule has not ended; default: queue, one after the other",
  OVERLAPS,
);
const backfill: Command = {
  description:
    "Start what was due in the past and was not started, the oldest first; the host does it.",
  arguments: [schedule],
  options: [from, to, backfillOverlap],
  example: "nightly --from 2026-11-01T00:00",
  run: async (given, io) => {
    const begins = given(from);
    if (begins === null)
      throw usageError("--from is missing: give the first due time to make up for");
    const { backfill: makeUp } = await import("./backfill.ts");
    const [name, ends] = [given(schedule), given(to)];
    return makeUp({ name, from: begins, to: ends, overlap: given(backfillOverlap) ?? "queue" }, io);
  },
};

export const scheduleCommands: CommandGroup = {
  commands: { add, list, show, pause, resume, run, rm, backfill },
};
