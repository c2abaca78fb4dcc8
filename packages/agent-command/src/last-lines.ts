import type { CommandResult } from "./command-config.ts";

const LINES = 5;
const CHARS = 1_000;

/** For an error message: how the program's last words were. Empty when it said nothing. */
export function lastLines({ stderr, output }: Pick<CommandResult, "stderr" | "output">): string {
  const [name, text] =
    stderr.trim() === "" ? ["output", output.trimEnd()] : ["stderr", stderr.trimEnd()];
  if (text === "") return "";
  const lines = text.slice(-CHARS).toWellFormed().split("\n").slice(-LINES);
  return `; last lines of ${name}:\n${lines.join("\n")}`;
}
