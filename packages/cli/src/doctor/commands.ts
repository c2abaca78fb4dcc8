import type { Command } from "../command.ts";

export const doctor: Command = {
  description: "Check storage, index, bundles, threads and programs, and say how to mend each.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./doctor.ts")).examine(io),
};
