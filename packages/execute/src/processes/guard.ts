/** A small process that outlives this one if this one is killed, and then ends what it started for a thread.
 *
 *  1. It waits for the end of a pipe whose other end only this process holds: however this process ends, the system
 *     closes the pipe. Until then it is a shell of 1 MB; it becomes a Node process only when there is something to do.
 *  2. It ends what carries the tag of this one lease (and of this runner), so never a later owner's processes.
 *  3. It leads its own session and carries no tag: what ends this process, or its group, does not end the guard.
 *  4. Its environment names the process it guards, so that an owner that was replaced and left no trace in the index
 *     can still be found (`guardedOwners`). */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Lease, PROCESS_TAG_ENV, type ProcessIdentity } from "@uncaged/workflow-protocol";
import { processesWith } from "@uncaged/workflow-util";
import { leaseTag, runnerTag, threadTag } from "./process-tags.ts";

// Resolved from the package's root, so that it also works when the sources are run directly.
const GUARD: string = fileURLToPath(new URL("../../dist/processes/guard-main.js", import.meta.url));
const GUARD_ENV = "UNCAGED_GUARD";
/** A line means that all is well; the end of the pipe without a line does not. */
const WAIT = 'read -r _ || exec "$0" "$@"';

/** The guard watches when this returns. `dismiss`: the lease ended normally, and anything that still runs was left
 *  running on purpose. */
export type StartGuard = (lease: Lease) => { dismiss: () => void };

/** A guard for one lease. */
export function startGuard(lease: Lease): { dismiss: () => void } {
  // Windows has neither such a shell nor process tags.
  if (process.platform === "win32") return { dismiss: () => undefined };
  const words = [process.execPath, "--disable-sigusr1", GUARD, ...marksOf(lease)];
  const guard = spawn("/bin/sh", ["-c", WAIT, ...words], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: process.env.PATH, [GUARD_ENV]: tagOf(lease) },
  });
  // Without a guard, the thread's next owner ends what a killed runner leaves behind.
  guard.on("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  guard.unref();
  return { dismiss: () => guard.stdin.end("\n") };
}

function marksOf(lease: Lease): string[] {
  const own = process.env[PROCESS_TAG_ENV] ?? "";
  const isRunner = own.startsWith(`${runnerTag(lease.threadId)}:`);
  return isRunner ? [leaseTag(lease), own] : [leaseTag(lease)];
}

/** No spaces: `ps` separates the variables of an environment by spaces. */
function tagOf(lease: Lease): string {
  return `${leaseTag(lease)}:${encodeURIComponent(JSON.stringify(lease.process))}`;
}

/** Processes that have owned a thread and not ended their lease, whether or not they still own it. */
export function guardedOwners(threadId: string): ProcessIdentity[] {
  return guardTags()
    .filter((tag) => tag.startsWith(threadTag(threadId)))
    .flatMap((tag) => ownerIn(tag) ?? []);
}

/** The tags of all guards. */
export function guardTags(): string[] {
  return [...processesWith(GUARD_ENV).values()];
}

/** null for a tag that is not ours. */
function ownerIn(tag: string): ProcessIdentity | null {
  try {
    const owner: Partial<Record<keyof ProcessIdentity, unknown>> = Object(
      JSON.parse(decodeURIComponent(tag.split(":")[2] ?? "")),
    );
    const { pid, startedAt, bootId } = owner;
    if (typeof pid !== "number" || typeof startedAt !== "string") return null;
    return typeof bootId === "string" ? { pid, startedAt, bootId } : null;
  } catch {
    return null;
  }
}
