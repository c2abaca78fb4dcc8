import { listThreads } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result, type ThreadStatus } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { withEngine } from "../with-engine.ts";
import { threadTable } from "./thread-table.ts";

export type ListFilter = {
  workflow: string | null;
  limit: number | null;
  status: ThreadStatus | null;
};

export async function list(filter: ListFilter, io: Io): Promise<Result<Output, Failure>> {
  const { workflow, limit, status } = filter;
  const found = await withEngine(io, (engine) =>
    listThreads(engine, {
      ...(workflow === null ? {} : { workflow }),
      // A status is computed, so the store cannot count by it.
      ...(limit === null || status !== null ? {} : { limit }),
    }),
  );
  const threads = found
    .filter((thread) => status === null || thread.status === status)
    .slice(0, limit ?? undefined);
  return ok({
    document: { threads },
    human: (style) =>
      threads.length === 0
        ? "no threads; start one with: uncaged-workflow run <workflow> --prompt <text>"
        : threadTable(threads, { style, nowMs: io.now(), more: [] }),
  });
}
