/** Commands that read threads and change nothing. */
import { THREAD_STATUSES, type ThreadStatus } from "@uncaged/workflow-protocol";
import type { Command } from "../command.ts";
import {
  type Argument,
  choiceOption,
  countOption,
  type Option,
  optionalArgument,
  programArgument,
  requiredArgument,
} from "../options.ts";
import { threadId } from "./start-commands.ts";

const workflow: Argument<string | null> = optionalArgument("name", "only threads of this workflow");
const limit: Option<number | null> = countOption("--limit <n>", "at most so many, newest first", {
  atLeast: 1,
});
const status: Option<ThreadStatus | null> = choiceOption(
  "--status <status>",
  "only threads in this status",
  THREAD_STATUSES,
);
export const list: Command = {
  description: "List threads, newest first.",
  arguments: [workflow],
  options: [limit, status],
  example: "demo --status suspended",
  run: async (given, io) =>
    (await import("./list.ts")).list(
      { workflow: given(workflow), limit: given(limit), status: given(status) },
      io,
    ),
};

export const show: Command = {
  description: "Show a thread: its prompt, every step, and how it ended.",
  arguments: [threadId],
  options: [],
  example: "7F3K",
  run: async (given, io) => (await import("./show.ts")).show(given(threadId), io),
};

export const ps: Command = {
  description: "List threads that have a runner, or had one that went away without a word.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./ps.ts")).ps(io),
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
    (await import("./context.ts")).context(
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
  "run for a step, which is on its stdin as JSON: 0 is good, 125 cannot tell, all else is bad",
);
export const bisect: Command = {
  description: "Find the step with which a thread went wrong, by running a command for few steps.",
  arguments: [good, bad, program],
  options: [],
  example: "7F3K 9Q2M -- node is-it-good.mjs",
  run: async (given, io) => {
    const { bisect: search } = await import("./bisect.ts");
    return search({ good: given(good), bad: given(bad), program: given(program) }, io);
  },
};

export const diff: Command = {
  description: "Show where two threads part, role by role and meta by meta.",
  arguments: [one, other],
  options: [],
  example: "7F3K 9Q2M",
  run: async (given, io) =>
    (await import("./diff.ts")).diff({ a: given(one), b: given(other) }, io),
};
