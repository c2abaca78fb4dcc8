/** Commands that read threads and change nothing. */
import {
  SPENT_BY,
  type SpentBy,
  THREAD_STATUSES,
  type ThreadStatus,
} from "@uncaged/workflow-protocol";
import type { Command } from "../command/command.ts";
import {
  type Argument,
  choiceArgument,
  choiceOption,
  countOption,
  durationOption,
  type Option,
  optionalArgument,
  programArgument,
  requiredArgument,
  severalArguments,
  switchOption,
  textOption,
  usageError,
} from "../command/options.ts";
import { labelFilterOf, labelFilterOption } from "./start/name-options.ts";
import { threadId } from "./start-commands.ts";

const workflow: Argument<string | null> = optionalArgument("name", "only threads of this workflow");
const limit: Option<number | null> = countOption(
  "--limit <n>",
  "show at most n threads, newest first",
  {
    atLeast: 1,
  },
);
const status: Option<ThreadStatus | null> = choiceOption(
  "--status <status>",
  "only threads in this status",
  THREAD_STATUSES,
);
const since: Option<number | null> = durationOption(
  "--since <duration>",
  "only threads made within this time, such as 12h or 7d",
);
const text: Option<string | null> = textOption(
  "--text <words>",
  "only threads whose title or prompt (the first 4,000 characters) has each of these words",
);
export const list: Command = {
  description: "List threads, newest first.",
  arguments: [workflow],
  options: [limit, status, since, text, labelFilterOption],
  example: "demo --status suspended --label team=core",
  run: async (given, io) => {
    const [limited, withinMs] = [given(limit), given(since)];
    const filter = {
      workflow: given(workflow),
      limit: limited,
      status: given(status),
      withinMs,
      text: given(text),
      labels: labelFilterOf(given),
    };
    return (await import("./look/list.ts")).list(filter, io);
  },
};

const by: Option<SpentBy | null> = choiceOption(
  "--by <what>",
  "what to sum up by (default: workflow)",
  SPENT_BY,
);
const spentSince: Option<number | null> = durationOption(
  "--since <duration>",
  "only the days since then, such as 7d; whole days, UTC",
);
export const costs: Command = {
  description: "Show what the runs of all threads used, removed threads included.",
  arguments: [],
  options: [by, spentSince],
  example: "--by agent --since 7d",
  run: async (given, io) =>
    (await import("./look/costs.ts")).costs(
      { by: given(by) ?? "workflow", withinMs: given(spentSince) },
      io,
    ),
};

export const inbox: Command = {
  description: "List what waits for a person, each with the command that answers it.",
  arguments: [workflow],
  options: [limit],
  example: "--json",
  run: async (given, io) =>
    (await import("./look/list.ts")).list(
      {
        workflow: given(workflow),
        limit: given(limit),
        status: "suspended",
        asking: true,
        withinMs: null,
        text: null,
        labels: {},
      },
      io,
    ),
};

const filesOf: Option<number | null> = countOption(
  "--files <n>",
  "only the files that step n changed",
  { atLeast: 1 },
);
export const show: Command = {
  description: "Show a thread: its prompt, every step, and how it ended.",
  arguments: [threadId],
  options: [filesOf],
  example: "7F3K --files 2",
  errand: { options: [filesOf] },
  run: async (given, io) => {
    const round = given(filesOf);
    return round === null
      ? (await import("./look/show.ts")).show(given(threadId), io)
      : (await import("./look/files.ts")).files({ id: given(threadId), round }, io);
  },
};

const restored: Option<number | null> = countOption("--step <n>", "the step (default: the last)", {
  atLeast: 1,
});
const into: Option<string | null> = textOption("--to <folder>", "an empty or a new folder");
export const restore: Command = {
  description: "Write the files of a git repository as a step left them into a folder.",
  arguments: [threadId],
  options: [restored, into],
  example: "7F3K --step 2 --to ../as-it-was",
  run: async (given, io) => {
    const folder = given(into);
    if (folder === null) throw usageError("name the folder for the files: --to <folder>");
    const { restore: write } = await import("./look/restore.ts");
    return write({ id: given(threadId), round: given(restored), folder }, io);
  },
};

export const result: Command = {
  description: "Print what a completed thread returned: text as it is, anything else as JSON.",
  arguments: [threadId],
  options: [],
  example: "7F3K",
  errand: { options: [] },
  run: async (given, io) => (await import("./look/result.ts")).result(given(threadId), io),
};

export const ps: Command = {
  description: "List threads that have a runner, or had one that disappeared.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./look/ps.ts")).ps(io),
};

const waitedFor: Argument<readonly string[]> = severalArguments(
  "id",
  "thread id, or its beginning or end; several are waited for together",
);
const any: Option<boolean> = switchOption("--any", "return as soon as one of them has ended");
export const wait: Command = {
  description:
    "Wait until threads end, wait for a person, or have no runner. Exits with the thread's return code; with several threads, the highest one.",
  arguments: [waitedFor],
  options: [any],
  example: "7F3K 9Q2M --any",
  errand: { options: [any] },
  run: async (given, io) =>
    (await import("./look/wait-for.ts")).waitFor(
      { ids: given(waitedFor), until: given(any) ? "first" : "all" },
      io,
    ),
};

const budget: Option<number | null> = countOption(
  "--budget <characters>",
  "how much to show at most (default: 8000)",
  { atLeast: 200 },
);
const before: Option<number | null> = countOption(
  "--before <round>",
  "the messages before this round, without the first",
  { atLeast: 1 },
);
export const context: Command = {
  description: "Read the conversation so far, as an agent does: the first message and the latest.",
  arguments: [threadId],
  options: [budget, before],
  example: "7F3K --before 12",
  alias: "read",
  run: async (given, io) =>
    (await import("./look/context.ts")).context(
      { id: given(threadId), budget: given(budget), before: given(before) },
      io,
    ),
};

const one: Argument<string> = requiredArgument("a", "thread id, or a part of it");
const other: Argument<string> = requiredArgument("b", "the thread to compare it with");
const good: Argument<string> = requiredArgument(
  "good",
  "the thread that went well; alone: the one thread to search",
);
const bad: Argument<string | null> = optionalArgument("bad", "the thread that went wrong");
const program: Argument<readonly string[]> = programArgument(
  "runs on a step, which it reads from stdin as JSON: exit code 0 is good, 125 cannot tell, any other is bad",
);
const filesOfSteps: Option<boolean> = switchOption(
  "--files",
  "run the command in a folder with the files that the step left",
);
export const bisect: Command = {
  description:
    "Find the step at which a thread went wrong, by running a command on as few steps as possible.",
  arguments: [good, bad, program],
  options: [filesOfSteps],
  example: "7F3K 9Q2M -- node is-it-good.mjs",
  run: async (given, io) => {
    const { bisect: search } = await import("./look/bisect.ts");
    const threads = { good: given(good), bad: given(bad) };
    return search({ ...threads, program: given(program), files: given(filesOfSteps) }, io);
  },
};

export const diff: Command = {
  description:
    "Show where two threads diverge, role by role and meta by meta, and which files differ.",
  arguments: [one, other],
  options: [],
  example: "7F3K 9Q2M",
  run: async (given, io) =>
    (await import("./look/diff.ts")).diff({ a: given(one), b: given(other) }, io),
};

const action = choiceArgument("action", "close the queue, or open it again", ["pause", "resume"]);

export const queue: Command = {
  description:
    "Show which threads are queued, for what and since when; or pause and resume the queue.",
  arguments: [action],
  options: [],
  example: "pause",
  run: async (given, io) => {
    const { showQueue, steerQueue } = await import("./look/queue.ts");
    const asked = given(action);
    return asked === null ? showQueue(io) : steerQueue(asked, io);
  },
};
