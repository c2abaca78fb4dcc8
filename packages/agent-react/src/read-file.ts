import { type FileHandle, readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { done, type Tool, toolOf } from "./tool.ts";
import {
  type HeldPlace,
  openForReading,
  openPath,
  pathOf,
  placeInside,
  withPlace,
} from "./work-folder.ts";

const MOST_BYTES = 48 * 1024;
const MOST_NAMES = 1_000;

export const readFileTool: Tool = toolOf({
  name: "read_file",
  kind: "read",
  description: `Reads a file of the working directory, at most ${MOST_BYTES} bytes at once; of a folder, the names in it.`,
  arguments: z.object({
    path: z.string().describe("relative to the working directory"),
    offset: z.int().nonnegative().optional().describe("byte to begin with; default 0"),
  }),
  async plan({ path, offset = 0 }, { cwd }) {
    const place = await placeInside(cwd, path);
    return {
      subject: join(cwd, place),
      run: () => withPlace(cwd, place, { make: false, use: (held) => read(held, offset) }),
    };
  },
});

async function read(held: HeldPlace, offset: number) {
  const handle = await openForReading(held);
  try {
    const about = await handle.stat();
    if (about.isDirectory()) return done(await names(openPath(handle, pathOf(held))));
    return done(await slice(handle, offset, about.size));
  } finally {
    await handle.close();
  }
}

async function names(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const shown = entries
    .slice(0, MOST_NAMES)
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  const more = entries.length - shown.length;
  return [...shown.sort(), ...(more > 0 ? [`[… ${more} more …]`] : [])].join("\n");
}

async function slice(handle: FileHandle, offset: number, size: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, offset);
  const bytes = buffer.subarray(0, bytesRead);
  if (bytes.includes(0)) throw new Error(`it is not text: a file of ${size} bytes with NUL in it`);
  const isLast = offset + bytesRead >= size;
  const whole = isLast ? bytes : bytes.subarray(0, wholeCharacters(bytes));
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole);
  const end = offset + whole.length;
  return isLast
    ? text
    : `${text}\n[… bytes ${offset} to ${end} of ${size}; continue at offset ${end} …]`;
}

/** Length without a character that the end cuts in two (RFC 3629: a lead byte and at most three more). */
function wholeCharacters(bytes: Buffer): number {
  let at = bytes.length;
  while (at > bytes.length - 3 && at > 0 && ((bytes[at - 1] ?? 0) & 0xc0) === 0x80) at--;
  return at > 0 && (bytes[at - 1] ?? 0) >= 0xc0 ? at - 1 : bytes.length;
}
