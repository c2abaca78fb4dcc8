import { lastLines } from "@uncaged/workflow-util-agent";
import type { CommandResult } from "./command-config.ts";

/** The program's last words, for an error message. Empty when it printed nothing. */
export function lastWords({ stderr, output }: Pick<CommandResult, "stderr" | "output">): string {
  const [name, text] = stderr.trim() === "" ? ["output", output] : ["stderr", stderr];
  return text.trim() === "" ? "" : `; last lines of ${name}:\n${lastLines(text)}`;
}
