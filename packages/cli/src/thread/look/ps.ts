import {
  type LeftoverProcesses,
  leftoverProcesses,
  queuedThreads,
  type RunningThread,
  runningThreads,
  waitingThreads,
} from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { withEngine } from "../../command/with-engine.ts";
import type { Style } from "../../terminal/style.ts";
import { ago } from "../../terminal/times.ts";
import { nowColumns } from "../view/now-columns.ts";
import { threadTable } from "../view/thread-table.ts";
import { inbox } from "./inbox.ts";
import { queueTable } from "./queue.ts";

/** Threads with a runner, alive or gone without a trace; those that wait for room, or for a person, which need none; and
 *  leftover processes of threads that nobody runs. */
export async function ps(io: Io): Promise<Result<Output, Failure>> {
  const { threads, queued, waiting, leftovers } = await withEngine(io, async (engine) => ({
    threads: await runningThreads(engine),
    queued: await queuedThreads(engine),
    waiting: await waitingThreads(engine, {}),
    leftovers: await leftoverProcesses(engine),
  }));
  const shown = (style: Style): string => {
    const at = { style, nowMs: io.now() };
    const runners = threads.length === 0 ? "no runners\n" : runnerTable(threads, at);
    const questions = waiting.length === 0 ? "" : `\n${inbox(waiting, at)}`;
    const queue = queued.length === 0 ? "" : `\n${queueTable(queued, at)}`;
    return runners + queue + questions + leftovers.map(leftoverLine).join("");
  };
  return ok({ document: { threads, queued, waiting, leftovers }, human: shown });
}

function leftoverLine({ threadId, pids, command }: LeftoverProcesses): string {
  return `\nleft of ${threadId}, which nobody runs: ${pids.join(", ")}; end with: ${command}\n`;
}

function runnerTable(
  threads: readonly RunningThread[],
  { style, nowMs }: { style: Style; nowMs: number },
): string {
  return threadTable(threads, {
    style,
    nowMs,
    more: [
      { title: "PID", cell: ({ pid }) => String(pid), align: "right" },
      { title: "HEARTBEAT", spare: true, cell: ({ heartbeatAt }) => ago(heartbeatAt, nowMs) },
      ...nowColumns(threads, nowMs),
    ],
  });
}
