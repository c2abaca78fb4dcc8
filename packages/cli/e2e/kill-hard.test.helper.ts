import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Kills a process that is not our child and waits until it is gone: what the system still does for it may take a
 *  moment, and as long it owns what it owned. False when it was gone before. */
export async function killHard(pid: number): Promise<boolean> {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
  while (isThere(pid)) await sleep(5);
  return true;
}

/** Not so of one that nobody has asked for its exit code yet. */
function isThere(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")));
  } catch {
    return false;
  }
}
