/** Commands that read threads and change nothing. */
import { THREAD_STATUSES, type ThreadStatus } from "@uncaged/workflow-protocol";
import type { Command } from "../command.ts";
import {
  type Argument,
  choiceOption,
  countOption,
  type Option,
  optionalArgument,
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

export const verify: Command = {
  description: "Prove a thread: every hash, digest, reference and route, computed again.",
  arguments: [threadId],
  options: [],
  example: "7F3K",
  run: async (given, io) => (await import("./verify.ts")).verify(given(threadId), io),
};
