/** Every command of `uncaged-workflow`, in the order of help. A line here costs nothing: its module is loaded when
 *  the name is called. */
import type { CommandEntry } from "./command/command.ts";

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "create a workflow project",
    load: async () => (await import("./init/commands.ts")).init,
  },
  {
    name: "workflow",
    summary: "build, register and inspect workflows",
    loadGroup: async () => (await import("./workflow/commands.ts")).workflowCommands,
  },
  {
    name: "teach",
    summary: "draft a workflow from your own words, try it and publish it",
    load: async () => (await import("./teach/commands.ts")).teach,
  },
  {
    name: "thread",
    summary: "run, watch and steer threads",
    loadGroup: async () => (await import("./thread/commands.ts")).threadCommands,
  },
  {
    name: "costs",
    summary: "show what was spent, by workflow, role, agent, model or day",
    load: async () => (await import("./thread/look-commands.ts")).costs,
  },
  {
    name: "up",
    summary: "run threads unattended, and continue interrupted ones",
    load: async () => (await import("./host/commands.ts")).up,
  },
  {
    name: "down",
    summary: "end the host",
    load: async () => (await import("./host/commands.ts")).down,
  },
  {
    name: "status",
    summary: "show the host and its threads",
    load: async () => (await import("./host/commands.ts")).status,
  },
  {
    name: "queue",
    summary: "show the queued threads, or pause the queue",
    load: async () => (await import("./thread/look-commands.ts")).queue,
  },
  {
    name: "schedule",
    summary: "start threads at set times",
    loadGroup: async () => (await import("./schedule/commands.ts")).scheduleCommands,
  },
  {
    name: "trigger",
    summary: "start threads for new files and webhooks",
    loadGroup: async () => (await import("./trigger/commands.ts")).triggerCommands,
  },
  {
    name: "worker",
    summary: "run the threads of some pools on this machine",
    loadGroup: async () => (await import("./worker/commands.ts")).workerCommands,
    // Tasks were called by this name first.
    loadOthers: async () => (await import("./task/commands.ts")).taskCommands,
  },
  {
    name: "task",
    summary: "give many agents work in one repository, and merge what was approved",
    loadGroup: async () => (await import("./task/commands.ts")).taskCommands,
  },
  {
    name: "workspace",
    summary: "the git worktrees of threads: list them, take them back",
    loadGroup: async () => (await import("./workspace/commands.ts")).workspaceCommands,
  },
  {
    name: "cas",
    summary: "read and maintain the content-addressed store",
    loadGroup: async () => (await import("./cas/commands.ts")).casCommands,
  },
  {
    name: "backup",
    summary: "write the whole storage root into one file, while threads run",
    load: async () => (await import("./backup/commands.ts")).backup,
  },
  {
    name: "restore",
    summary: "restore a storage root from a backup",
    load: async () => (await import("./backup/commands.ts")).restore,
  },
  {
    name: "root",
    summary: "share a storage root with other machines, in PostgreSQL and S3",
    loadGroup: async () => (await import("./root/commands.ts")).rootCommands,
  },
  {
    name: "agent",
    summary: "list and add agents",
    loadGroup: async () => (await import("./agent/commands.ts")).agentCommands,
  },
  {
    name: "setup",
    summary: "choose models and the default agent",
    load: async () => (await import("./setup/commands.ts")).setup,
  },
  {
    name: "hooks",
    summary: "record agent sessions that you start, and remind them of their thread",
    loadGroup: async () => (await import("./hooks/commands.ts")).hooksCommands,
  },
  {
    name: "mcp",
    summary: "serve threads and blobs to an agent over the Model Context Protocol",
    load: async () => (await import("./mcp/commands.ts")).mcp,
  },
  {
    name: "dashboard",
    summary: "show threads and workflows in a browser",
    load: async () => (await import("./gateway/commands.ts")).dashboard,
  },
  {
    name: "connect",
    summary: "connect this engine to a gateway",
    load: async () => (await import("./gateway/commands.ts")).connect,
  },
  {
    name: "gateway",
    summary: "run a gateway for engines of other machines, and manage its tokens",
    load: async () => (await import("./gateway/commands.ts")).gateway,
  },
  {
    name: "doctor",
    summary: "find problems, and say how to fix them",
    load: async () => (await import("./doctor/commands.ts")).doctor,
  },
  {
    name: "skill",
    summary: "print what an agent should know",
    load: async () => (await import("./skill/commands.ts")).skillCommand(COMMANDS),
  },
  {
    name: "completion",
    summary: "print a completion script for bash, zsh or fish",
    load: async () => (await import("./completion/commands.ts")).completionCommand(COMMANDS),
  },
  {
    name: "run",
    summary: "start a thread of a workflow (short for: thread run)",
    shortcut: true,
    load: async () => (await import("./thread/start-commands.ts")).run,
  },
  {
    name: "live",
    summary: "watch a thread while it runs (short for: thread live)",
    shortcut: true,
    load: async () => (await import("./thread/start-commands.ts")).live,
  },
  {
    name: "list",
    summary: "list threads (short for: thread list)",
    shortcut: true,
    load: async () => (await import("./thread/look-commands.ts")).list,
  },
  {
    name: "ps",
    summary:
      "list threads that have a runner, and those that wait for a person (short for: thread ps)",
    shortcut: true,
    load: async () => (await import("./thread/look-commands.ts")).ps,
  },
  {
    name: "show",
    summary: "show a thread (short for: thread show)",
    shortcut: true,
    load: async () => (await import("./thread/look-commands.ts")).show,
  },
  {
    name: "inbox",
    summary: "list what waits for a person (short for: thread inbox)",
    shortcut: true,
    load: async () => (await import("./thread/look-commands.ts")).inbox,
  },
  {
    name: "wait",
    summary: "wait until threads end (short for: thread wait)",
    shortcut: true,
    load: async () => (await import("./thread/look-commands.ts")).wait,
  },
  {
    name: "resume",
    summary: "continue threads, or answer a question (short for: thread resume)",
    shortcut: true,
    load: async () => (await import("./thread/steer-commands.ts")).resume,
  },
  {
    name: "answer",
    summary: "answer a thread that waits for a person (short for: thread answer)",
    shortcut: true,
    load: async () => (await import("./thread/steer-commands.ts")).answer,
  },
  {
    name: "kill",
    summary: "abort threads for good (short for: thread kill)",
    shortcut: true,
    load: async () => (await import("./thread/steer-commands.ts")).kill,
  },
];
