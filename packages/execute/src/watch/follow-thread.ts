/** Follows a thread's live log, as any terminal may, until the thread stops.
 *
 *  An owner writes its agents' output before it releases the thread. So once nobody runs the thread, what can be read
 *  is complete. */
import type { LiveItem, ThreadStatus } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { lookAtThread } from "./look-at-thread.ts";
import { restsNow } from "./wait-for-thread.ts";

/** An owner that releases its thread says so in the log; one that was killed says nothing. */
const LOOK_EVERY_MS = 250;

type Watched = Pick<Engine, "live" | "store" | "now" | "root">;

export type Follow = {
  /** Number of the last event seen; 0: from the oldest that is kept. */
  after: number;
  /** When to end. `rest`: also when the thread is paused. `end`: a paused thread is followed until its gate opens. */
  until: "rest" | "end";
  signal: AbortSignal;
};

/** Yields items as they come. Ends when everything was read and the thread has ended, waits for a person or has no
 *  runner, or when the signal aborts. */
export async function* followThread(
  engine: Watched,
  threadId: string,
  { after, until, signal }: Follow,
): AsyncGenerator<LiveItem, void> {
  const rest = watchForRest(engine, threadId, until);
  const reading = AbortSignal.any([signal, rest.signal]);
  let seen = after;
  try {
    const opts = { after, until: "aborted", signal: reading } as const;
    for await (const item of engine.live.read(threadId, opts)) {
      seen = item.type === "gap" ? item.to : item.seq;
      if (item.type === "status") rest.look();
      yield item;
    }
    if (!signal.aborted) await rest.seen;
  } finally {
    rest.close();
  }
  yield* engine.live.read(threadId, { after: seen, until: "end", signal });
}

type RestWatch = {
  /** Aborts once the thread has stopped, or cannot be observed. */
  signal: AbortSignal;
  /** Rejects when it could not be observed. */
  seen: Promise<void>;
  look(): void;
  close(): void;
};

function watchForRest(engine: Watched, threadId: string, until: Follow["until"]): RestWatch {
  const abort = new AbortController();
  let wake = (): void => undefined;
  let closed = false;
  const watch = async (): Promise<void> => {
    while (!closed) {
      const thread = await lookAtThread(engine, threadId);
      if (thread === null || rests(engine.root, thread.status, until)) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, LOOK_EVERY_MS);
      wake = resolve;
      await promise;
      clearTimeout(timer);
    }
  };
  const seen = watch().finally(() => abort.abort());
  // The consumer awaits it, unless it leaves early.
  seen.catch(() => undefined);
  return {
    signal: abort.signal,
    seen,
    look: () => wake(),
    close: () => {
      closed = true;
      wake();
    },
  };
}

function rests(root: string, status: ThreadStatus, until: Follow["until"]): boolean {
  if (status === "queued") return restsNow(root, status);
  return status !== "running" && (until === "rest" || status !== "paused");
}
