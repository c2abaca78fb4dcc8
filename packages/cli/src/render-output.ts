import type { Output } from "./command.ts";
import type { Io } from "./io.ts";
import { jsonPieces } from "./json-pieces.ts";
import { printable, printableOutput } from "./printable.ts";
import { styleOf } from "./style.ts";

/** Writes what a command gave back: one JSON document with `--json`, else text for people. */
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
  const text = printableOutput(output.human(styleOf(io.stdout)), io.stdout);
  return io.stdout.write(text === "" || text.endsWith("\n") ? text : `${text}\n`);
}
