import type { LiveLog } from "@uncaged/workflow-protocol";
import type { IndexTable } from "@uncaged/workflow-store";
import { pagesOf } from "./copy-tables.ts";
import type { Effect } from "./effect.ts";
import type { MovingEnd } from "./moving-end.ts";

/** Events between two waits for what was written: a log drops what comes faster than it writes. */
const AT_ONCE = 200;

/** Copies those of all threads in the index. */
export async function copyLiveLogs(
  from: Pick<MovingEnd, "live" | "tables">,
  to: Pick<MovingEnd, "live">,
  {
    tables,
    effect,
    progress,
  }: {
    tables: readonly IndexTable[];
    effect: Effect;
    progress: (done: number, total: number) => void;
  },
): Promise<void> {
  const table = tables.find(({ name }) => name === "threads");
  if (table === undefined) throw new Error("an index has no table of threads");
  const place = (column: string): number => table.columns.findIndex(({ name }) => name === column);
  const total = await from.tables.count(table);
  let done = 0;
  for await (const rows of pagesOf(from.tables, table))
    for (const row of rows) {
      const threadId = String(row[place("threadId")]);
      const fence = Number(row[place("fence")]);
      await copyLive(from.live, to.live, { threadId, fence, effect });
      done += 1;
      progress(done, total);
    }
}

/** Copies what is kept of a thread's live log; what was interrupted is begun anew. Its events are numbered from 1. */
async function copyLive(
  from: LiveLog,
  to: LiveLog,
  { threadId, fence, effect }: { threadId: string; fence: number; effect: Effect },
): Promise<void> {
  const isThere = (await to.last(threadId)) > 0;
  if ((await from.last(threadId)) === 0 && !isThere) return;
  await effect("copy a live log");
  if (isThere) await to.remove(threadId);
  const writer = to.writer({ threadId, fence });
  let written = 0;
  const { signal } = new AbortController();
  for await (const item of from.read(threadId, { after: 0, until: "end", signal })) {
    if (item.type === "gap") continue;
    const { seq: _, ...event } = item;
    writer.append(event);
    written += 1;
    if (written % AT_ONCE === 0) await to.flush(threadId);
  }
  writer.close();
  await to.flush(threadId);
}
