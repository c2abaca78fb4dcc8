import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "./replace-file.ts";
import { done, type Tool, toolOf } from "./tool.ts";
import { placeInside, withPlace } from "./work-folder.ts";

export const writeFileTool: Tool = toolOf({
  name: "write_file",
  kind: "edit",
  description:
    "Writes a file of the working directory: a new one, or all of an existing one. Folders are made as needed.",
  arguments: z.object({
    path: z.string().min(1).describe("relative to the working directory"),
    content: z.string(),
  }),
  async plan({ path, content }, { cwd }) {
    const place = await placeInside(cwd, path);
    return {
      subject: join(cwd, place),
      async run() {
        await withPlace(cwd, place, { make: true, use: (held) => replaceFile(held, content) });
        return done(`wrote ${Buffer.byteLength(content)} bytes to ${place}`);
      },
    };
  },
});
