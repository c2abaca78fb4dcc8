import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "./replace-file.ts";
import { done, type Tool, toolOf } from "./tool.ts";
import { type HeldPlace, openForReading, placeInside, withPlace } from "./work-folder.ts";

const MOST_BYTES = 8 * 1024 * 1024;

export const patchFileTool: Tool = toolOf({
  name: "patch_file",
  kind: "edit",
  description:
    "Replaces one place in a file of the working directory. `old_text` must occur in the file exactly once, blanks and line breaks included.",
  arguments: z.object({
    path: z.string().min(1).describe("relative to the working directory"),
    old_text: z.string().min(1),
    new_text: z.string(),
  }),
  async plan({ path, old_text: before, new_text: after }, { cwd }) {
    const place = await placeInside(cwd, path);
    const use = (held: HeldPlace): Promise<void> => patch(held, before, after);
    return {
      subject: join(cwd, place),
      async run() {
        await withPlace(cwd, place, { make: false, use });
        return done(`replaced one place in ${place}`);
      },
    };
  },
});

async function patch(held: HeldPlace, before: string, after: string): Promise<void> {
  const text = await textOf(held);
  const first = text.indexOf(before);
  if (first === -1) throw new Error("old_text does not occur in the file; read it again");
  if (text.indexOf(before, first + 1) !== -1) {
    throw new Error(
      "old_text occurs in the file more than once; include more of the text around it",
    );
  }
  await replaceFile(held, text.slice(0, first) + after + text.slice(first + before.length));
}

async function textOf(held: HeldPlace): Promise<string> {
  const handle = await openForReading(held);
  try {
    const { size } = await handle.stat();
    if (size > MOST_BYTES) throw new Error(`the file is too large for a patch: ${size} bytes`);
    // What is no UTF-8 would come back as something else.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      await handle.readFile(),
    );
  } finally {
    await handle.close();
  }
}
