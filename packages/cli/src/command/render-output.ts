import { printable } from "../terminal/printable.ts";
import { styleOf } from "../terminal/style.ts";
import type { Output } from "./command.ts";
import type { Io } from "./io.ts";
import { jsonPieces } from "./json-pieces.ts";
import { writeText } from "./write-text.ts";

/** Writes a command's result: one JSON document with `--json`, otherwise text for people. */
export async function renderOutput(output: Output, io: Pick<Io, "json" | "stdout">): Promise<void> {
  if ("streamed" in output) return;
  if (io.json) {
    for (const piece of jsonPieces(output.document)) await io.stdout.write(piece);
    return;
  }
  if ("verbatim" in output) {
    // A file or a pipe gets exactly these characters; a terminal would obey some of them.
    const { verbatim } = output;
    return io.stdout.write(io.stdout.isTerminal ? printable(verbatim) : verbatim);
  }
  const text = output.human(styleOf(io.stdout));
  return writeText(io.stdout, text === "" || text.endsWith("\n") ? text : `${text}\n`);
}
