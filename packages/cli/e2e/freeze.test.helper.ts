import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** Freezes a process between two of its writes. One that froze in the middle of a write would hold the index until it
 *  goes on, and everybody else would wait for it. */
export async function freeze(root: string, pid: number): Promise<void> {
  const index = new DatabaseSync(join(root, "index.db"));
  try {
    while (true) {
      process.kill(pid, "SIGSTOP");
      while (!isStopped(pid)) await sleep(1);
      if (isFree(index)) return;
      process.kill(pid, "SIGCONT");
      await sleep(5);
    }
  } finally {
    index.close();
  }
}

/** A signal only asks: each thread of the process stops once its system call is over. */
function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) =>
    /^State:\s+[TZ]/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8")),
  );
}

function isFree(index: DatabaseSync): boolean {
  try {
    index.exec("BEGIN IMMEDIATE");
  } catch {
    return false;
  }
  index.exec("ROLLBACK");
  return true;
}
