import {
  askLeftBehind,
  listThreads,
  waitingThreads,
  withActivity,
  withNextRoles,
  withResults,
} from "@uncaged/workflow-execute";
import {
  type Failure,
  isFinal,
  ok,
  type Result,
  type ThreadStatus,
  type ThreadStore,
} from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { withEngine } from "../../command/with-engine.ts";
import { printableLine } from "../../terminal/printable.ts";
import { nowColumns } from "../view/now-columns.ts";
import { threadTable } from "../view/thread-table.ts";
import { inbox } from "./inbox.ts";

export type ListFilter = {
  workflow: string | null;
  limit: number | null;
  status: ThreadStatus | null;
  /** Only threads created within this time; null: however old. */
  withinMs: number | null;
  /** Words in the title or prompt; null: any. */
  text: string | null;
  /** null: any value. */
  labels: { readonly [key: string]: string | null };
  /** Only those behind this one in the list. */
  after?: { createdAt: number; threadId: string };
  /** With `suspended`: also those that run and have a step that asks a person. */
  asking?: true;
};

/** Default number on a terminal. Pipes and scripts get all of them. */
const SHOWN_ON_TERMINAL = 50;

export async function list(filter: ListFilter, io: Io): Promise<Result<Output, Failure>> {
  const { workflow, status, withinMs, text, labels } = filter;
  const shortened = filter.limit === null && io.stdout.isTerminal && !io.json;
  // One more than is shown tells whether there are more.
  const limit = shortened ? SHOWN_ON_TERMINAL + 1 : filter.limit;
  const threads = await withEngine(io, async (engine) => {
    if (filter.asking === true) {
      const owned = await engine.store.list({ withLease: true });
      // What cannot be asked now, in a root that may only be read for instance, is asked later.
      await askLeftBehind(engine, owned, io.interruption()).catch(() => undefined);
    }
    const look = filter.asking === true ? waitingThreads : listThreads;
    const found = await look(engine, {
      ...(workflow === null ? {} : { workflow }),
      ...(status === null ? {} : recordsOf(status)),
      ...(withinMs === null ? {} : { sinceMs: io.now() - withinMs }),
      ...(text === null ? {} : { text }),
      labels,
      ...(filter.after === undefined ? {} : { after: filter.after }),
      ...(limit === null || (status !== null && !isStored(status)) ? {} : { limit }),
    });
    const wanted = found.filter(
      (thread) => status === null || filter.asking === true || thread.status === status,
    );
    const seen = await withActivity(engine, wanted.slice(0, limit ?? undefined));
    return io.json ? withNextRoles(engine, await withResults(engine, seen)) : seen;
  });
  return ok({
    document: { threads },
    human: (style) => {
      if (threads.length === 0) return nothing(filter);
      const shown = shortened ? threads.slice(0, SHOWN_ON_TERMINAL) : threads;
      const more = threads.length > shown.length ? `${style.dim(MORE)}\n` : "";
      const nowMs = io.now();
      if (status === "suspended") return inbox(shown, { style, nowMs }) + more;
      return threadTable(shown, { style, nowMs, more: nowColumns(shown, nowMs) }) + more;
    },
  });
}

/** Whether the store can count by it. Any other status is computed: a runner may be gone. */
function isStored(status: ThreadStatus): boolean {
  return status === "suspended" || isFinal(status);
}

/** Of which records a thread's may be. */
function recordsOf(status: ThreadStatus): Parameters<ThreadStore["list"]>[0] {
  if (status === "suspended") return { suspended: true };
  if (isFinal(status)) return { ended: status };
  // A running thread has a lease.
  return status === "running" ? { withLease: true } : { unfinished: true };
}

function nothing({ workflow, status, withinMs, text, labels }: ListFilter): string {
  if (text !== null || Object.keys(labels).length > 0) return "no thread matches";
  const young = withinMs === null ? "" : " so young";
  const which = workflow === null ? young : `${young} of ${printableLine(workflow, 80)}`;
  if (status === "suspended") return `nothing waits for you: no thread${which} has a question`;
  if (status !== null) return `no thread${which} is ${status}`;
  if (withinMs !== null) return `no thread${which}; see older ones without --since`;
  return `no threads${which}; start one with: uncaged-workflow run <workflow> --prompt <text>`;
}

const MORE = "there are older ones; see more with --limit <n>";
