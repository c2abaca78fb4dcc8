/** One guard for all leases of a process that carries many threads. See `guard` for what a guard is.
 *
 *  1. It is told of each lease as it begins and ends, and keeps their tags as the arguments of its shell: it takes
 *     1 MB for all of them together.
 *  2. It is started with the first lease. When this process has ended, it ends what carries the tag of a lease that
 *     had not.
 *  3. It names no owner (4 of `guard`): a process that has lost one thread continues with its others. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Lease } from "@uncaged/workflow-protocol";
import type { StartGuard } from "./guard.ts";
import { leaseTag } from "./process-tags.ts";

const GUARD: string = fileURLToPath(new URL("../../dist/processes/guard-main.js", import.meta.url));
/** `+ tag` and `- tag` begin and end a lease. */
const WATCH = `
while read -r op tag; do
  case $op in
    +) set -- "$@" "$tag" ;;
    -) left=$#
       while [ "$left" -gt 0 ]; do
         [ "$1" = "$tag" ] || set -- "$@" "$1"
         shift
         left=$((left - 1))
       done ;;
  esac
done
[ "$#" -eq 0 ] || exec "$NODE" --disable-sigusr1 "$GUARD" "$@"`;

export function sharedGuard(): StartGuard {
  // Windows has neither such a shell nor process tags.
  if (process.platform === "win32") return () => ({ dismiss: () => undefined });
  let shell: ChildProcess | null = null;
  const tell = (line: string): void => {
    shell ??= startShell();
    shell.stdin?.write(line);
  };
  return (lease: Lease) => {
    tell(`+ ${leaseTag(lease)}\n`);
    return { dismiss: () => tell(`- ${leaseTag(lease)}\n`) };
  };
}

function startShell(): ChildProcess {
  const guard = spawn("/bin/sh", ["-c", WATCH], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: process.env.PATH, NODE: process.execPath, GUARD },
  });
  // Without a guard, the next owner of each thread ends what a killed process leaves behind.
  guard.on("error", () => undefined);
  guard.stdin.on("error", () => undefined);
  guard.unref();
  if ("unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
  return guard;
}
