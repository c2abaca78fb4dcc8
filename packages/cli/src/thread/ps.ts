import { listThreads, type RunningThread, runningThreads } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import type { Style } from "../style.ts";
import { ago } from "../times.ts";
import { withEngine } from "../with-engine.ts";
import { inbox } from "./inbox.ts";
import { threadTable } from "./thread-table.ts";

/** Threads with a runner, alive or gone without a word; and threads that wait for a person, which need none. */
export async function ps(io: Io): Promise<Result<Output, Failure>> {
  const { threads, waiting } = await withEngine(io, async (engine) => ({
    threads: await runningThreads(engine),
    waiting: await listThreads(engine, { suspended: true }),
  }));
  const shown = (style: Style): string => {
    const at = { style, nowMs: io.now() };
    const runners = threads.length === 0 ? "no runners\n" : runnerTable(threads, at);
    const questions = waiting.length === 0 ? "" : `\n${inbox(waiting, at)}`;
    return runners + questions;
  };
  return ok({ document: { threads, waiting }, human: shown });
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
      { title: "HEARTBEAT", cell: ({ heartbeatAt }) => ago(heartbeatAt, nowMs) },
    ],
  });
}
