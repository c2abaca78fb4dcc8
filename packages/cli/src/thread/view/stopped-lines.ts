import type { Engine } from "@uncaged/workflow-execute";
import { type ThreadRecord, type ThreadStatus, waitsOf } from "@uncaged/workflow-protocol";
import { readRegularFileSync, storagePaths } from "@uncaged/workflow-util";
import { printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { howToContinue } from "./how-to-continue.ts";
import { queuedFor } from "./queued-for.ts";

/** Why an unfinished thread is not running, and the command that continues it; nothing for any other thread. */
export function stoppedLines(
  { engine, thread, style }: { engine: Pick<Engine, "root">; thread: ThreadRecord; style: Style },
  { status, stale }: { status: ThreadStatus; stale: boolean },
): string[] {
  const { threadId } = thread;
  const resume = `uncaged-workflow thread resume ${threadId}`;
  const waits = waitsOf(thread);
  if (waits.length > 0) return waits.map((wait) => howToContinue(threadId, wait, style));
  if (status === "paused") return [`it is paused; continue with: ${resume}`];
  if (thread.status === "queued")
    return [queuedFor(thread.queue), "start a host to run it: uncaged-workflow up"];
  if (status !== "idle") return [];
  const said = lastWords(engine.root, threadId);
  return [
    stale
      ? "it has not ended: its runner disappeared without a message"
      : "it has not ended, but nothing runs it any more",
    ...(said === "" ? [] : [`its runner said: ${printableLine(said, 500)}`]),
    `continue with: ${resume}`,
  ];
}

/** Runners write only a fraction of that. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/** Last line of the runner's log; empty when there is none. */
function lastWords(root: string, threadId: string): string {
  try {
    const log = readRegularFileSync(storagePaths(root).runnerLog(threadId), MAX_LOG_BYTES);
    return log.ok ? (log.value.bytes.toString("utf8").trimEnd().split("\n").at(-1) ?? "") : "";
  } catch {
    // A thread that never had a runner has no log, and a missing log must not hide its end.
    return "";
  }
}
