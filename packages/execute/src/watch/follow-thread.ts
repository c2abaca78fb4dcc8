/** Follows a thread's live log, as any terminal may, until the thread rests.
 *
 *  Whoever releases a thread has written before what its agents said. So what can be read once it rests is all. */
import type { LiveItem, ThreadStatus } from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { lookAtThread } from "./look-at-thread.ts";

/** An owner that releases its thread says so in the log; one that was killed says nothing. */
const LOOK_EVERY_MS = 250;

type Watched = Pick<Engine, "live" | "store" | "now">;

export type Follow = {
  /** Number of the last event that was seen; 0: from the oldest that is kept. */
  after: number;
  /** `rest`: a paused thread rests, too. `end`: it is waited for until its gate opens. */
  until: "rest" | "end";
  signal: AbortSignal;
};

/** Yields items as they come. Ends when all was read of a thread that has ended, waits for a person or has nobody who
 *  runs it, or when the signal aborts. */
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
  /** Aborts once the thread rests, or cannot be looked at. */
  signal: AbortSignal;
  /** Rejects when it could not be looked at. */
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
      if (thread === null || rests(thread.status, until)) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, LOOK_EVERY_MS);
      wake = resolve;
      await promise;
      clearTimeout(timer);
    }
  };
  const seen = watch().finally(() => abort.abort());
  // Whoever follows awaits it, unless it leaves before.
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

function rests(status: ThreadStatus, until: Follow["until"]): boolean {
  return status !== "running" && (until === "rest" || status !== "paused");
}
