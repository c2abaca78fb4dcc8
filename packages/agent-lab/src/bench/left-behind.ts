import { readFile } from "node:fs/promises";
import { findTagged, killTagged } from "@uncaged/workflow-util";

/** Command lines of the processes that still carry the tag of a finished step. They are ended, so that one behaviour
 *  does not affect the next. */
export async function leftBehind(processTag: string): Promise<string[]> {
  const commands = await Promise.all(findTagged(processTag).map(commandOf));
  if (commands.length > 0) await killTagged({ tag: processTag });
  return commands;
}

/** Its pid if the system does not show the command line, or the process is gone. */
async function commandOf(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return line === "" ? `process ${pid}` : line.replaceAll("\0", " ").trim();
}
