import type { Command, CommandGroup } from "../command/command.ts";
import { type Option, switchOption, textOption } from "../command/options.ts";

const postgres: Option<string | null> = textOption(
  "--postgres <server>",
  "embedded (a server of this machine, for a try-out), or postgres://user@host:port/database",
);
const s3: Option<string | null> = textOption(
  "--s3 <bucket>",
  "where blobs of more than 256 KiB go: a bucket, s3://bucket/prefix, or https://host:port/bucket/prefix (default: PostgreSQL)",
);
const name: Option<string | null> = textOption(
  "--name <name>",
  "which root of that database; other machines give the same (default: main)",
);

const init: Command = {
  description: "Make a storage root that many machines share, or join one.",
  arguments: [],
  options: [postgres, s3, name],
  example: "--postgres embedded",
  run: async (given, io) =>
    (await import("./init.ts")).initSharedRoot(
      { postgres: given(postgres), s3: given(s3), name: given(name) },
      io,
    ),
};

const to: Option<string | null> = textOption(
  "--to <place>",
  "postgres://user@host:port/database, embedded, or the folder of this storage root",
);
const dryRun: Option<boolean> = switchOption(
  "--dry-run",
  "count what would be moved; change nothing",
);

const move: Command = {
  description: "Move this storage root to PostgreSQL, back to its folder, or to another server.",
  arguments: [],
  options: [to, s3, name, dryRun],
  example: "--to postgres://ada@db.example.com/workflows",
  run: async (given, io) =>
    (await import("./move.ts")).moveSharedRoot(
      { to: given(to), s3: given(s3), name: given(name), dryRun: given(dryRun) },
      io,
    ),
};

const stop: Command = {
  description: "Stop the embedded PostgreSQL of this storage root; the next command starts it.",
  arguments: [],
  options: [],
  example: "",
  run: async (_given, io) => (await import("./stop.ts")).stopServer(io),
};

export const rootCommands: CommandGroup = { commands: { init, move, stop } };
