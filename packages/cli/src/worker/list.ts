import { type Failure, ok, type Result, type WorkerRecord } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";
import { printableLine } from "../terminal/printable.ts";
import { renderTable } from "../terminal/render-table.ts";
import type { Style } from "../terminal/style.ts";
import { ago } from "../terminal/times.ts";

export async function listWorkers(io: Io): Promise<Result<Output, Failure>> {
  const workers = await withEngine(io, (engine) => engine.workers.list(engine.now()));
  return ok({
    document: { workers },
    human: (style) =>
      workers.length === 0
        ? "no worker is up; start one with: uncaged-workflow worker start --pool default\n"
        : table(workers, style, io.now()),
  });
}

function table(workers: readonly WorkerRecord[], style: Style, nowMs: number): string {
  return renderTable(workers, [
    { title: "WORKER", cell: ({ worker }) => worker },
    { title: "POOLS", cell: ({ pools }) => printableLine(pools.join(","), 60) },
    { title: "LABELS", cell: ({ labels }) => printableLine(labels.join(","), 60) },
    {
      title: "THREADS",
      align: "right",
      cell: ({ threads, atOnce }) => `${threads.length}${atOnce === null ? "" : `/${atOnce}`}`,
    },
    { title: "STATE", cell: (worker) => stateOf(worker, style) },
    { title: "SEEN", cell: ({ seenAt }) => ago(seenAt, nowMs) },
    { title: "STARTED", cell: ({ startedAt }) => ago(startedAt, nowMs) },
    { title: "VERSION", cell: ({ version }) => printableLine(version, 20) },
  ]);
}

function stateOf({ stale, drainingAt }: WorkerRecord, style: Style): string {
  if (stale) return style.red("stale");
  return drainingAt === null ? style.green("up") : style.yellow("draining");
}
