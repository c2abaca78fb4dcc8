import { listThreads } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result, type ThreadStatus } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { printableLine } from "../printable.ts";
import { withEngine } from "../with-engine.ts";
import { inbox } from "./inbox.ts";
import { threadTable } from "./thread-table.ts";

export type ListFilter = {
  workflow: string | null;
  limit: number | null;
  status: ThreadStatus | null;
};

/** What a terminal shows when nobody says how many. Pipes and scripts get them all. */
const SHOWN_ON_TERMINAL = 50;

export async function list(filter: ListFilter, io: Io): Promise<Result<Output, Failure>> {
  const { workflow, status } = filter;
  const shortened = filter.limit === null && io.stdout.isTerminal && !io.json;
  // One more than is shown tells whether there are more.
  const limit = shortened ? SHOWN_ON_TERMINAL + 1 : filter.limit;
  const found = await withEngine(io, (engine) =>
    listThreads(engine, {
      ...(workflow === null ? {} : { workflow }),
      ...(status === "suspended" ? { suspended: true } : {}),
      // Any other status is computed, so the store cannot count by it.
      ...(limit === null || (status !== null && status !== "suspended") ? {} : { limit }),
    }),
  );
  const threads = found
    .filter((thread) => status === null || thread.status === status)
    .slice(0, limit ?? undefined);
  return ok({
    document: { threads },
    human: (style) => {
      if (threads.length === 0) return nothing(filter);
      const shown = shortened ? threads.slice(0, SHOWN_ON_TERMINAL) : threads;
      const more = threads.length > shown.length ? `${style.dim(MORE)}\n` : "";
      const nowMs = io.now();
      if (status === "suspended") return inbox(shown, { style, nowMs }) + more;
      return threadTable(shown, { style, nowMs, more: [] }) + more;
    },
  });
}

function nothing({ workflow, status }: ListFilter): string {
  const which = workflow === null ? "" : ` of ${printableLine(workflow, 80)}`;
  if (status === "suspended") return `nothing waits for you: no thread${which} asks anything`;
  if (status !== null) return `no thread${which} is ${status}`;
  return `no threads${which}; start one with: uncaged-workflow run <workflow> --prompt <text>`;
}

const MORE = "there are older ones; see more with --limit <n>";
