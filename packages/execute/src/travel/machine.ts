/** Names the folder of a storage root on this machine, among those that share the root.
 *
 *  Not the system's own id: what matters is where worktrees and caches are, and those are in the folder. In a container
 *  it may be a volume that outlives the host name. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import {
  failure,
  type Machine,
  parseJson,
  toJsonObject,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { readRegularFile, storagePaths, writeFileAtomic } from "@uncaged/workflow-util";

const MOST_BYTES = 4096;

/** Made when it is first asked for. Throws `STORAGE_FAILED`. */
export async function thisMachine(root: string): Promise<Machine> {
  const path = storagePaths(root).machine;
  for (;;) {
    const read = await readRegularFile(path, MOST_BYTES);
    if (read.ok) {
      const id = toJsonObject(parseJson(read.value.toString()))?.id;
      if (typeof id === "string" && /^[\da-f]{16}$/.test(id)) return { id, name: hostname() };
    }
    if (read.ok || !read.error.absent) throw damaged(path);
    const data = `${JSON.stringify({ id: randomBytes(8).toString("hex") })}\n`;
    // Of several processes that make it at once, one is first, and all read its file.
    await writeFileAtomic({ path, data, mode: 0o600, existing: "keep" });
  }
}

function damaged(path: string): WorkflowError {
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `${path} does not name this machine`,
      "restore it from a backup; a new one is made when it is deleted, but threads whose files are only here are then refused",
    ),
  );
}
