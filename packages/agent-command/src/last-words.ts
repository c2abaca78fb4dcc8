import { lastLines } from "@uncaged/workflow-util-agent";
import type { CommandResult } from "./command-config.ts";

/** For an error message: how the program's last words were. Empty when it said nothing. */
export function lastWords({ stderr, output }: Pick<CommandResult, "stderr" | "output">): string {
  const [name, text] = stderr.trim() === "" ? ["output", output] : ["stderr", stderr];
  return text.trim() === "" ? "" : `; last lines of ${name}:\n${lastLines(text)}`;
}
