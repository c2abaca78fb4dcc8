/** Every command of `uncaged-workflow`, in the order in which help lists them. A line here costs nothing:
 *  what stands behind a name is loaded when that name is called. */
import type { CommandEntry } from "./command.ts";

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "thread",
    summary: "run, watch and steer threads",
    loadGroup: async () => (await import("./thread/commands.ts")).threadCommands,
  },
  {
    name: "cas",
    summary: "read and keep the content-addressed store",
    loadGroup: async () => (await import("./cas/commands.ts")).casCommands,
  },
  {
    name: "run",
    summary: "start a thread of a workflow (short for: thread run)",
    load: async () => (await import("./thread/start-commands.ts")).run,
  },
  {
    name: "live",
    summary: "watch a thread while it runs (short for: thread live)",
    load: async () => (await import("./thread/start-commands.ts")).live,
  },
];
