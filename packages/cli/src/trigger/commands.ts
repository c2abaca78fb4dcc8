/** Commands for starting threads automatically when something happens. */
import type { Command, CommandGroup } from "../command/command.ts";
import {
  type Argument,
  type Option,
  requiredArgument,
  switchOption,
  textOption,
  usageError,
} from "../command/options.ts";
import { plannedStartOf, plannedStartOptions } from "../thread/start/planned-start.ts";

const newName: Argument<string> = requiredArgument("new-name", "what to call it");
const trigger: Argument<string> = requiredArgument("trigger", "name of a trigger");

const watch: Option<string | null> = textOption(
  "--watch <path>",
  "start a thread for each new file in this folder; the prompt says {{ path }} or {{ name }}",
);
const webhook: Option<boolean> = switchOption(
  "--webhook",
  "start a thread for each signed delivery; the prompt has placeholders such as {{ payload.issue.title }}",
);
const filter: Option<string | null> = textOption(
  "--filter <jsonata>",
  "with --webhook: only deliveries for which this holds, such as \"event = 'issues'\"",
);

const add: Command = {
  description: "Start a thread for each new file in a folder, or for each delivery of a webhook.",
  arguments: [newName],
  options: [watch, webhook, filter, ...plannedStartOptions],
  example: 'scans --watch ~/scans --workflow file-away --prompt "File {{ path }}"',
  run: async (given, io) => {
    const [folder, expression] = [given(watch), given(filter)];
    if ((folder === null) !== given(webhook))
      throw usageError("say what starts a thread: --watch <folder> or --webhook");
    if (folder !== null && expression !== null)
      throw usageError("--filter is for --webhook: every new file starts a thread");
    const { addTrigger } = await import("./add.ts");
    return addTrigger(
      { name: given(newName), folder, filter: expression, start: plannedStartOf(given) },
      io,
    );
  },
};

const list: Command = {
  description: "List the triggers.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./list.ts")).listTriggers(io),
};

const show: Command = {
  description: "Show a trigger, and which files it has taken. Its secret is not shown.",
  arguments: [trigger],
  options: [],
  example: "scans",
  run: async (given, io) => (await import("./show.ts")).showTrigger(given(trigger), io),
};

const pause: Command = {
  description: "Pause a trigger: it starts nothing until it is resumed.",
  arguments: [trigger],
  options: [],
  example: "scans",
  run: async (given, io) => (await import("./change.ts")).pause(given(trigger), io),
};

const resume: Command = {
  description: "Resume a trigger; it also starts threads for files that arrived meanwhile.",
  arguments: [trigger],
  options: [],
  example: "scans",
  run: async (given, io) => (await import("./change.ts")).resume(given(trigger), io),
};

const file: Argument<string> = requiredArgument(
  "file",
  "the file to start it for; for a webhook, one that contains the payload as JSON",
);
const event: Option<string | null> = textOption(
  "--event <name>",
  "for a webhook: the value of {{ event }}",
);
const run: Command = {
  description: "Start a trigger's thread by hand, for a file or a payload, and print its id.",
  arguments: [trigger, file],
  options: [event],
  example: "scans ~/scans/letter.pdf",
  run: async (given, io) =>
    (await import("./change.ts")).runNow(
      { name: given(trigger), file: given(file), event: given(event) },
      io,
    ),
};

const rm: Command = {
  description:
    "Remove a trigger, with its secret and its record of files. Threads that it started stay.",
  arguments: [trigger],
  options: [],
  example: "scans",
  run: async (given, io) => (await import("./change.ts")).remove(given(trigger), io),
};

export const triggerCommands: CommandGroup = {
  commands: { add, list, show, pause, resume, run, rm },
};
