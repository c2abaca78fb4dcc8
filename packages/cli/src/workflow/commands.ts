import { THREAD_STATUSES, type ThreadStatus } from "@uncaged/workflow-protocol";
import type { Command, CommandGroup } from "../command/command.ts";
import {
  type Argument,
  choiceOption,
  type Option,
  optionalArgument,
  requiredArgument,
  switchOption,
  textOption,
  textsOption,
  usageError,
} from "../command/options.ts";

const workflow: Argument<string> = requiredArgument("name", "a registered workflow");

const entry: Argument<string> = requiredArgument(
  "entry",
  "module that exports run and descriptor, TypeScript or JavaScript, or a workflow in YAML",
);
const out: Option<string | null> = textOption(
  "--out <file>",
  "where to write the bundle (default: dist/<entry>.esm.js)",
);
const build: Command = {
  description: "Build a workflow into one file, with the same bytes wherever it is built.",
  arguments: [entry],
  options: [out],
  example: "src/workflow.ts",
  run: async (given, io) =>
    (await import("./build.ts")).build({ entry: given(entry), out: given(out) }, io),
};

const name: Argument<string> = requiredArgument("name", "name to register it under");
const file: Argument<string> = requiredArgument(
  "file",
  "the bundle that workflow build wrote, or a workflow in YAML",
);
const types: Option<string | null> = textOption(
  "--types <path>",
  "type declarations to store with the bundle",
);
const force: Option<boolean> = switchOption(
  "--force",
  "add it although it names fields that no schema has",
);
const add: Command = {
  description: "Check a bundle in a restricted process and register it; older versions stay.",
  arguments: [name, file],
  options: [types, force],
  example: "review dist/workflow.esm.js",
  run: async (given, io) =>
    (await import("./add.ts")).add(
      { name: given(name), file: given(file), types: given(types), force: given(force) },
      io,
    ),
};

const list: Command = {
  description: "List the registered workflows.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./list.ts")).list(io),
};

const graph: Option<boolean> = switchOption("--graph", "draw the graph instead");
const mermaid: Option<boolean> = switchOption("--mermaid", "print the graph as Mermaid instead");
const yaml: Option<boolean> = switchOption(
  "--yaml",
  "print the text of a workflow in YAML instead",
);
const show: Command = {
  description: "Show a workflow: its roles, the rules between them, and its versions.",
  arguments: [workflow],
  options: [graph, mermaid, yaml],
  example: "review --graph",
  run: async (given, io) => {
    if (given(yaml)) return (await import("./yaml-text.ts")).showYaml(given(workflow), io);
    const how = { graph: given(graph), mermaid: given(mermaid) };
    return (await import("./show.ts")).show(given(workflow), how, io);
  },
};

const history: Command = {
  description: "List the versions of a name, the current one first.",
  arguments: [workflow],
  options: [],
  example: "review",
  run: async (given, io) => (await import("./history.ts")).history(given(workflow), io),
};

const hash: Argument<string | null> = optionalArgument(
  "hash",
  "the version to restore (default: the previous one)",
);
const rollback: Command = {
  description: "Restore an earlier version; the current one stays in the history.",
  arguments: [workflow, hash],
  options: [],
  example: "review",
  run: async (given, io) =>
    (await import("./rollback.ts")).rollback({ name: given(workflow), hash: given(hash) }, io),
};

const rm: Command = {
  description: "Remove a name. Threads that were started keep their version and continue.",
  arguments: [workflow],
  options: [],
  example: "review",
  run: async (given, io) => (await import("./rm.ts")).remove(given(workflow), io),
};

const checked: Argument<string> = requiredArgument(
  "version",
  "a registered workflow, workflow@hash, a hash, or a bundle or YAML file",
);
const newFile: Argument<string | null> = optionalArgument(
  "file",
  "a bundle or YAML file to check as the next version of it",
);
const against: Option<readonly string[]> = textsOption(
  "--against <id...>",
  "threads that it must leave unchanged",
);
const all: Option<boolean> = switchOption("--all", "every thread of the workflow");
const status: Option<ThreadStatus | null> = choiceOption(
  "--status <status>",
  "every thread of the workflow in this status",
  THREAD_STATUSES,
);
const check: Command = {
  description:
    "Check a table, and whether existing threads would have taken the same route with it.",
  arguments: [checked, newFile],
  options: [against, all, status],
  example: "review dist/workflow.esm.js --all",
  run: async (given, io) => {
    const ids = given(against);
    const every = given(all) || given(status) !== null;
    if (ids.length > 0 && every)
      throw usageError("--against cannot be combined with --all or --status");
    const { check: checkVersion } = await import("./check.ts");
    const named = ids.length === 0 ? ({ kind: "none" } as const) : ({ kind: "ids", ids } as const);
    return checkVersion(
      {
        name: given(checked),
        file: given(newFile),
        against: every ? { kind: "all", status: given(status) } : named,
      },
      io,
    );
  },
};

export const workflowCommands: CommandGroup = {
  commands: { build, add, check, list, show, history, rollback, rm },
};
