import type { Command } from "../command/command.ts";
import { switchOption } from "../command/options.ts";

const install = switchOption("--install", "write a service file instead, for systemd or launchd");
const print = switchOption("--print", "with --install: print the file instead of writing it");

export const up: Command = {
  description:
    "Host this storage root's threads until Ctrl-C or `down`, and continue those that were interrupted.",
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
  description: "End the host; its threads continue with the next `up`.",
  arguments: [],
  options: [],
  example: "",
  run: async (_given, io) => (await import("./down.ts")).endHost(io),
};

export const status: Command = {
  description: "Show the host, its workers, and how many threads have each status.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./status.ts")).showStatus(io),
};
