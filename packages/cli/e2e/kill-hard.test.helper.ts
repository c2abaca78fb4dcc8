import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Kills a process that is not our child and waits until it is gone: the system's cleanup may take a moment, and until
 *  then the process keeps its locks. False when it was already gone. */
export async function killHard(pid: number): Promise<boolean> {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
  while (isThere(pid)) await sleep(5);
  return true;
}

/** A zombie counts as gone, but only without threads: files and locks are let go by the last of them, which may be
 *  another than the one that the process is named by. */
function isThere(pid: number): boolean {
  try {
    if (readdirSync(`/proc/${pid}/task`).length > 1) return true;
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")));
  } catch {
    return false;
  }
}
