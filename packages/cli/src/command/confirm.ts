import type { Io } from "./io.ts";
import { writeText } from "./write-text.ts";

/** Asks on the terminal; anything but y or yes is no. Where nobody can be asked, whoever called has decided. The
 *  question goes to stderr: stdout holds the command's document. */
export async function confirmed(
  question: string,
  io: Pick<Io, "stdin" | "stderr">,
): Promise<boolean> {
  if (io.stdin.kind !== "terminal" || !io.stderr.isTerminal) return true;
  await writeText(io.stderr, `${question} [y/N] `);
  return /^y(es)?$/i.test((await firstLine(io.stdin)).trim());
}

async function firstLine(stdin: Io["stdin"]): Promise<string> {
  let text = "";
  for await (const chunk of stdin.chunks()) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}
