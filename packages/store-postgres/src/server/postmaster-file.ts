import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isErrno, storageFailed } from "@uncaged/workflow-util";

/** What a running server says of itself in `postmaster.pid`. */
export type Postmaster = { pid: number; port: number; ready: boolean };

export function postmasterFile(data: string): string {
  return join(data, "postmaster.pid");
}

/** null: no server runs on this data. After a crash the file may be left over, and its number belong to another process:
 *  the server's command line names its data. */
export function readPostmaster(data: string): Postmaster | null {
  const lines = textOf(postmasterFile(data)).split("\n");
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !commandOf(pid).includes(data)) return null;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}

/** To be called by whoever holds the lock when no server runs: makes what a crash left no obstacle to the next start.
 *  PostgreSQL takes any process with this number for a server. The file stays: by its other lines the next server finds
 *  out whether parts of the last one still write. */
export function disownPostmaster(data: string): void {
  const path = postmasterFile(data);
  const text = textOf(path);
  if (text !== "") writeFileSync(path, text.replace(/^\d+/u, NOBODY));
}

/** Larger than the number of any process. */
const NOBODY = "2147483647";

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (isErrno(cause, "ENOENT")) return "";
    throw storageFailed(`cannot read ${path}`, cause);
  }
}

/** Empty: there is no such process. */
function commandOf(pid: number): string {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return execFileSync("ps", ["-ww", "-o", "command=", "-p", `${pid}`], { encoding: "utf8" });
  } catch {
    return "";
  }
}
