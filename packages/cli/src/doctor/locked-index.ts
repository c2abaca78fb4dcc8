import { runningThreads } from "@uncaged/workflow-execute";
import { heldWriteLock } from "@uncaged/workflow-store";
import { withEngine } from "../command/with-engine.ts";
import type { DoctorContext } from "./check.ts";

/** A transaction takes milliseconds; the slowest of 200 concurrent writers takes five seconds. */
const WITHIN_MS = 6_000;

/** The process that froze or hangs while writing the index, and how to end it. Null: the index can be written. */
export async function lockedIndex({
  root,
  env,
}: DoctorContext): Promise<{ message: string; fix: string } | null> {
  const held = await heldWriteLock(root, WITHIN_MS);
  if (held === null) return null;
  const since = `index.db has been locked for more than ${WITHIN_MS / 1000} s`;
  const runners = await withEngine({ env }, runningThreads);
  const { pid } = held;
  if (pid === null) {
    const pids = runners.map((each) => `${each.pid} (thread ${each.threadId})`);
    return {
      message: `${since}; this system does not report by which process`,
      fix:
        pids.length === 0
          ? "end the process that has it open"
          : `end the one of these that does not respond: ${pids.join(", ")}`,
    };
  }
  const thread = runners.find((each) => each.pid === pid);
  return thread === undefined
    ? { message: `${since} by process ${pid}`, fix: `kill -KILL ${pid}` }
    : {
        message: `${since} by process ${pid}, which runs thread ${thread.threadId}`,
        fix: `uncaged-workflow thread stop ${thread.threadId}`,
      };
}
