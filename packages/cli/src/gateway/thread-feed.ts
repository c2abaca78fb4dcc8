/** Tells of threads that changed, to everybody who looks at lists.
 *
 *  1. The index is the truth. It is read only when its files have changed, or a runner may have disappeared; and only
 *     while somebody listens.
 *  2. What was told is numbered and kept for a while, so that a listener that was away goes on behind what it had. */
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { type Engine, listThreads, waitingThreads, withActivity } from "@uncaged/workflow-execute";
import type { ThreadRow } from "@uncaged/workflow-gateway/contract";
import { isFinal } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";

export type FeedItem = { n: number } & (
  | { kind: "thread"; thread: ThreadRow }
  | { kind: "removed"; threadId: string }
  | { kind: "inbox"; waiting: number }
);

/** A place in the feed. Numbers of another process say nothing here. */
export type FeedPlace = { boot: string; n: number };

export type ThreadFeed = {
  /** Where it is now; the first call reads the index. */
  place(): Promise<FeedPlace>;
  /** What came behind a place; null: it is not known any more. */
  since(place: FeedPlace): FeedItem[] | null;
  /** Resolves once there is more than `n`, or the signal aborts. */
  more(n: number, signal: AbortSignal): Promise<void>;
  close(): void;
};

const LOOK_EVERY_MS = 150;
/** A runner that disappears changes no file. */
const LOOK_ANYWAY_MS = 3_000;
const KEPT = 2_000;
/** Of the finished ones, as many as a list shows first. */
const NEWEST = 100;

export function threadFeed(engine: Engine): ThreadFeed {
  const boot = randomUUID();
  const items: FeedItem[] = [];
  const seen = new Map<string, { mark: string; isFinal: boolean }>();
  let n = 0;
  let inbox = "";
  let listeners = 0;
  let timer: NodeJS.Timeout | null = null;
  let waiting: (() => void)[] = [];
  let filesMark = "";
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  const tell = (item: Untold): void => {
    n += 1;
    items.push({ ...item, n });
    if (items.length > KEPT) items.shift();
  };
  const look = async (isFirst: boolean): Promise<void> => {
    const changes = await changesSince(engine, seen);
    const asked = await waitingThreads(engine, {});
    const mark = JSON.stringify(asked.map(({ threadId, waits }) => [threadId, waits]));
    const isAskedAnew = mark !== inbox;
    inbox = mark;
    if (isFirst) return;
    for (const change of changes) tell(change);
    if (isAskedAnew) tell({ kind: "inbox", waiting: asked.length });
    if (changes.length === 0 && !isAskedAnew) return;
    for (const wake of waiting.splice(0)) wake();
  };
  const lookOnce = (isFirst: boolean): Promise<void> => {
    looking ??= look(isFirst).finally(() => {
      looking = null;
    });
    return looking;
  };
  const tick = (): void => {
    const mark = marksOf(engine.root);
    const atMs = performance.now();
    if (mark !== filesMark || atMs - lookedAt > LOOK_ANYWAY_MS) {
      filesMark = mark;
      lookedAt = atMs;
      // What cannot be read now is read the next time.
      void lookOnce(false).catch(() => {
        filesMark = "";
      });
    }
  };
  const listen = (): void => {
    listeners += 1;
    timer ??= setInterval(tick, LOOK_EVERY_MS).unref();
  };
  const leave = (): void => {
    listeners -= 1;
    if (listeners > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
  return {
    async place() {
      // While nobody listened nothing was told: what changed meanwhile is told now, at once.
      await lookOnce(n === 0 && seen.size === 0);
      return { boot, n };
    },
    since(place) {
      if (place.boot !== boot || place.n > n) return null;
      const first = items[0]?.n ?? n + 1;
      if (place.n + 1 < first) return null;
      return items.slice(Math.max(0, place.n + 1 - first));
    },
    async more(after, signal) {
      if (n > after || signal.aborted) return;
      listen();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      waiting = waiting.filter((each) => each !== resolve);
      leave();
    },
    close() {
      if (timer !== null) clearInterval(timer);
      timer = null;
      for (const wake of waiting.splice(0)) wake();
    },
  };
}

type Untold =
  | { kind: "thread"; thread: ThreadRow }
  | { kind: "removed"; threadId: string }
  | { kind: "inbox"; waiting: number };

async function changesSince(
  engine: Engine,
  seen: Map<string, { mark: string; isFinal: boolean }>,
): Promise<Untold[]> {
  const newest = await listThreads(engine, { limit: NEWEST });
  const unfinished = await listThreads(engine, { unfinished: true });
  const rows = new Map([...newest, ...unfinished].map((row) => [row.threadId, row]));
  const changes: Untold[] = [];
  for (const [threadId, before] of seen) {
    // Finished ones leave this list as newer ones come.
    if (rows.has(threadId) || before.isFinal) continue;
    const record = await engine.store.get(threadId);
    if (record === null) changes.push({ kind: "removed", threadId });
    else {
      const [row] = await listThreads(engine, {
        sinceMs: record.createdAt,
        text: "",
        limit: 1,
        after: { createdAt: record.createdAt, threadId: `${threadId}~` },
      });
      if (row !== undefined) rows.set(threadId, row);
    }
    seen.delete(threadId);
  }
  const changed = [...rows.values()].filter((row) => {
    const mark = JSON.stringify(row);
    const isNew = seen.get(row.threadId)?.mark !== mark;
    if (isNew) seen.set(row.threadId, { mark, isFinal: isFinal(row.status) });
    return isNew;
  });
  for (const thread of await withActivity(engine, changed))
    changes.push({ kind: "thread", thread });
  return changes;
}

function marksOf(root: string): string {
  const { index } = storagePaths(root);
  return [index, `${index}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stat) => (stat === undefined ? "none" : `${stat.mtimeMs} ${stat.size}`))
    .join(" ");
}
