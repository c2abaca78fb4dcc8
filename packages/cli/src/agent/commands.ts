import type { Command, CommandGroup } from "../command/command.ts";
import {
  type Argument,
  type Option,
  requiredArgument,
  textOption,
  textsOption,
} from "../command/options.ts";

const list: Command = {
  description: "List the agents: installed or not, version, login, and what to do.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./list.ts")).list(io),
};

const source: Argument<string> = requiredArgument(
  "package",
  "npm package (optionally with @version), tarball or folder of an adapter",
);
const name: Option<string | null> = textOption(
  "--name <agent>",
  "name of the agent (default: the name in its package)",
);
const settings: Option<readonly string[]> = textsOption(
  "--option <key=value...>",
  "options of the agent; a value is JSON if it parses as JSON, otherwise text",
);
const add: Command = {
  description: "Install an agent's package into the storage root and configure it.",
  arguments: [source],
  options: [name, settings],
  example: "@uncaged/workflow-agent-codex --name codex --option model=gpt-5",
  run: async (given, io) =>
    (await import("./add.ts")).add(
      { source: given(source), name: given(name), options: given(settings) },
      io,
    ),
};

export const agentCommands: CommandGroup = { commands: { list, add } };
