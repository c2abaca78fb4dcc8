import { readFile } from "node:fs/promises";
import { endMarked, findMarked } from "@uncaged/workflow-util";

/** Command lines of the processes that still carry the mark of a step that is over. They are ended: one
 *  behaviour does not spoil the next. */
export async function leftBehind(runMark: string): Promise<string[]> {
  const commands = await Promise.all(findMarked(runMark).map(commandOf));
  if (commands.length > 0) await endMarked({ mark: runMark });
  return commands;
}

/** Its pid where the system does not show it, or it is gone by now. */
async function commandOf(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return line === "" ? `process ${pid}` : line.replaceAll("\0", " ").trim();
}
