/** PostgreSQL refuses to run as root. */
import { execFile } from "node:child_process";
import { chownSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { failure, WorkflowError } from "@uncaged/workflow-protocol";

/** Who the server runs as. */
export type ServerUser = { uid: number; gid: number };

/** The users that systems have for this, in order of preference. */
const NAMES = ["postgres", "nobody"];

/** null: the user of this process. Otherwise this process is root's, and the user is another one. */
export async function serverUser(): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null;
  for (const name of NAMES) {
    const [uid, gid] = await Promise.all([idOf("-u", name), idOf("-g", name)]);
    if (uid !== null && gid !== null) return { uid, gid };
  }
  throw new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `PostgreSQL does not run as root, and this system has none of the users ${NAMES.join(", ")}`,
      "run this as another user, or create the user postgres",
    ),
  );
}

async function idOf(flag: "-u" | "-g", name: string): Promise<number | null> {
  try {
    return Number((await promisify(execFile)("id", [flag, name])).stdout.trim());
  } catch {
    return null;
  }
}

export function giveTo(user: ServerUser | null, path: string): void {
  if (user !== null) chownSync(path, user.uid, user.gid);
}

/** Refuses a folder that the server's user could not reach. */
export function demandReachable(user: ServerUser | null, folder: string): void {
  if (user === null) return;
  for (let at = dirname(folder); ; at = dirname(at)) {
    const { mode, uid } = statSync(at);
    if ((mode & 0o001) === 0 && uid !== user.uid) throw unreachable(at, folder);
    if (at === dirname(at)) return;
  }
}

function unreachable(at: string, folder: string): WorkflowError {
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `PostgreSQL does not run as root, and its user cannot reach ${folder}: ${at} is closed to others`,
      "run this as another user, or choose a folder that others may enter",
    ),
  );
}
