import type { Command } from "../command/command.ts";

export const mcp: Command = {
  description:
    "Serve threads and blobs to an agent over the Model Context Protocol on stdin and stdout.",
  arguments: [],
  options: [],
  example: "< /dev/null",
  run: async (_given, io) => (await import("./serve.ts")).serve(io),
};
