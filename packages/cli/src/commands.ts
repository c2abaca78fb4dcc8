/** Every command of `uncaged-workflow`, in the order in which help lists them. A line here costs nothing:
 *  what stands behind a name is loaded when that name is called. */
import type { CommandEntry } from "./command.ts";

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "make a workflow project",
    load: async () => (await import("./init/commands.ts")).init,
  },
  {
    name: "workflow",
    summary: "build, register and look at workflows",
    loadGroup: async () => (await import("./workflow/commands.ts")).workflowCommands,
  },
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
  {
    name: "agent",
    summary: "see which agents there are, and add one",
    loadGroup: async () => (await import("./agent/commands.ts")).agentCommands,
  },
  {
    name: "setup",
    summary: "choose models and the default agent",
    load: async () => (await import("./setup/commands.ts")).setup,
  },
  {
    name: "hooks",
    summary: "record and remind agent sessions that a person starts",
    loadGroup: async () => (await import("./hooks/commands.ts")).hooksCommands,
  },
  {
    name: "mcp",
    summary: "serve threads and blobs to an agent, by the Model Context Protocol",
    load: async () => (await import("./mcp/commands.ts")).mcp,
  },
  {
    name: "doctor",
    summary: "look for what is wrong, and say how to mend it",
    load: async () => (await import("./doctor/commands.ts")).doctor,
  },
  {
    name: "skill",
    summary: "explain itself to an agent",
    load: async () => (await import("./skill/commands.ts")).skillCommand(COMMANDS),
  },
  {
    name: "completion",
    summary: "complete words in bash, zsh or fish",
    load: async () => (await import("./completion/commands.ts")).completionCommand(COMMANDS),
  },
];
