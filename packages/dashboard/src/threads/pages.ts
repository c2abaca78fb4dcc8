import type { ServerEvent, ThreadPage, ThreadRow } from "@uncaged/workflow-gateway/contract";

/** All rows of the pages, each thread once: one that was made between two pages may be on both. */
export function rowsOf(pages: readonly ThreadPage[]): ThreadRow[] {
  const seen = new Set<string>();
  return pages.flatMap(({ threads }) =>
    threads.filter(({ threadId }) => !seen.has(threadId) && seen.add(threadId) !== undefined),
  );
}

/** The pages with what has happened to their threads; the same object when nothing of it is shown. `unknown`: a
 *  thread of the events is on no page. */
export function changedPages(
  pages: readonly ThreadPage[],
  events: readonly ServerEvent[],
): { pages: readonly ThreadPage[]; unknown: string[] } {
  const latest = new Map<string, ThreadRow | null>();
  for (const event of events) {
    if (event.type === "thread") latest.set(event.thread.threadId, event.thread);
    if (event.type === "removed") latest.set(event.threadId, null);
  }
  let changed = false;
  const next = pages.map((page) => {
    if (!page.threads.some(({ threadId }) => latest.has(threadId))) return page;
    changed = true;
    const threads = page.threads.flatMap((row) => {
      const now = latest.get(row.threadId);
      return now === undefined ? [row] : now === null ? [] : [now];
    });
    return { ...page, threads };
  });
  const shown = new Set(pages.flatMap(({ threads }) => threads.map(({ threadId }) => threadId)));
  const unknown = [...latest].flatMap(([id, row]) => (row !== null && !shown.has(id) ? [id] : []));
  return { pages: changed ? next : pages, unknown };
}
