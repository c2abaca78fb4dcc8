import type { Command } from "../command/command.ts";
import { switchOption } from "../command/options.ts";

const install = switchOption("--install", "write a service file instead, for systemd or launchd");
const print = switchOption("--print", "with --install: print the file instead of writing it");

export const up: Command = {
  description:
    "Host this storage root's threads in one process, until Ctrl-C or `down`, and take up what was left.",
  arguments: [],
  options: [install, print],
  example: "",
  run: async (given, io) => {
    const { hostThreads, installService } = await import("./up.ts");
    if (given(install)) return installService({ print: given(print) }, io);
    return hostThreads(io);
  },
};

export const down: Command = {
  description: "End the host; its threads go on with the next `up`.",
  arguments: [],
  options: [],
  example: "",
  run: async (_given, io) => (await import("./down.ts")).endHost(io),
};

export const status: Command = {
  description: "Show the host, what it carries, and how many threads have each status.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./status.ts")).showStatus(io),
};
