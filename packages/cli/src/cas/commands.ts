import type { Command, CommandGroup } from "../command/command.ts";
import {
  type Argument,
  durationOption,
  type Option,
  requiredArgument,
  switchOption,
} from "../command/options.ts";

const hash: Argument<string> = requiredArgument("hash", "13 characters, as cas put prints them");

const payload: Option<boolean> = switchOption("--payload", "only the text inside a content node");
const get: Command = {
  description: "Print a blob, byte for byte.",
  arguments: [hash],
  options: [payload],
  example: "D4KP4Y6MRRVJV --payload",
  run: async (given, io) =>
    (await import("./get.ts")).getBlob({ hash: given(hash), payload: given(payload) }, io),
};

const show: Command = {
  description: "Print a node as block YAML, for people.",
  arguments: [hash],
  options: [],
  example: "D4KP4Y6MRRVJV",
  run: async (given, io) => (await import("./show.ts")).showBlob(given(hash), io),
};

const content: Argument<string> = requiredArgument("content", "the text; - reads it from stdin");
const put: Command = {
  description: "Store a text as a content node and print its hash.",
  arguments: [content],
  options: [],
  example: "- < report.md",
  run: async (given, io) => (await import("./put.ts")).putText(given(content), io),
};

const list: Command = {
  description: "Print the hash of every blob.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./list.ts")).listBlobs(io),
};

const force: Option<boolean> = switchOption("--force", "even if a thread needs it");
const rm: Command = {
  description: "Delete a blob that no thread needs.",
  arguments: [hash],
  options: [force],
  example: "D4KP4Y6MRRVJV",
  run: async (given, io) =>
    (await import("./rm.ts")).removeBlob(
      { hash: given(hash), even: given(force) ? "needed" : "unneeded" },
      io,
    ),
};

const dryRun: Option<boolean> = switchOption("--dry-run", "only say what would be deleted");
const grace: Option<number | null> = durationOption(
  "--grace <duration>",
  "how long a dead blob stays set aside before it is deleted for good, such as 90s, 2h or 0 (default: 1h)",
);
const gc: Command = {
  description:
    "Set aside every blob that no thread reaches; delete those set aside before the grace period.",
  arguments: [],
  options: [dryRun, grace],
  example: "--dry-run",
  run: async (given, io) =>
    (await import("./gc.ts")).collect({ dryRun: given(dryRun), graceMs: given(grace) }, io),
};

const fsck: Command = {
  description: "Check every blob, and everything that a thread reaches. Changes nothing.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./fsck.ts")).check(io),
};

const pack: Command = {
  description: "Move the blobs into rows of index.db; new ones go there, too.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./move.ts")).move("packed", io),
};

const unpack: Command = {
  description: "Move the blobs into separate files; new ones go there, too.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./move.ts")).move("files", io),
};

export const casCommands: CommandGroup = {
  commands: { get, show, put, list, rm, gc, fsck, pack, unpack },
};
