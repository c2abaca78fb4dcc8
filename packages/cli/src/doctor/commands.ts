import type { Command } from "../command/command.ts";

export const doctor: Command = {
  description:
    "Check storage, index, bundles, threads and programs, and say how to fix each problem.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => {
    // Agents are probed, and their packages may print.
    io.hostBundle(io.json ? "nowhere" : "to stderr");
    return (await import("./doctor.ts")).examine(io);
  },
};
