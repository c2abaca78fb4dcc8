/** Commands for the git worktrees that were made for threads. */
import type { Command, CommandGroup } from "../command/command.ts";
import { type Argument, type Option, requiredArgument, switchOption } from "../command/options.ts";

const list: Command = {
  description: "List the git worktrees of threads: size, branch, and what is in no commit.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./list.ts")).list(io),
};

const thread: Argument<string> = requiredArgument("thread", "thread id, or its beginning or end");
const record: Option<boolean> = switchOption(
  "--record",
  "first keep what is in no step or commit with the thread's snapshots",
);
const rm: Command = {
  description:
    "Remove the worktrees of a thread, unless they have what is in no step or commit. It gets them again when it goes on.",
  arguments: [thread],
  options: [record],
  example: "7F3K",
  run: async (given, io) =>
    (await import("./rm.ts")).rm({ part: given(thread), record: given(record) }, io),
};

const gc: Command = {
  description:
    "Remove the worktrees of threads that have ended, except what is in no step or commit.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./gc.ts")).gc(io),
};

export const workspaceCommands: CommandGroup = { commands: { list, rm, gc } };
