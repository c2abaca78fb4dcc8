import type { Command } from "../command.ts";

export const doctor: Command = {
  description: "Check storage, index, bundles, threads and programs, and say how to mend each.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => {
    // Agents are asked how they are, and their packages may print.
    io.hostBundle(io.json ? "nowhere" : "to stderr");
    return (await import("./doctor.ts")).examine(io);
  },
};
