import { runningThreads } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { ago } from "../times.ts";
import { withEngine } from "../with-engine.ts";
import { threadTable } from "./thread-table.ts";

/** Threads with a runner, alive or gone without a word. */
export async function ps(io: Io): Promise<Result<Output, Failure>> {
  const threads = await withEngine(io, runningThreads);
  const nowMs = io.now();
  return ok({
    document: { threads },
    human: (style) =>
      threads.length === 0
        ? "no runners"
        : threadTable(threads, {
            style,
            nowMs,
            more: [
              { title: "PID", cell: ({ pid }) => String(pid), align: "right" },
              { title: "HEARTBEAT", cell: ({ heartbeatAt }) => ago(heartbeatAt, nowMs) },
            ],
          }),
  });
}
