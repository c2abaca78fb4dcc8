import type { Command } from "../command.ts";

export const mcp: Command = {
  description:
    "Serve threads and blobs to an agent, by the Model Context Protocol on stdin and stdout.",
  arguments: [],
  options: [],
  example: "< /dev/null",
  run: async (_given, io) => (await import("./serve.ts")).serve(io),
};
