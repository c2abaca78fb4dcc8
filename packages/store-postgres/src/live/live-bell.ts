/** Rings when somebody has written to a live log of this root. */
import pg from "pg";
import { connectionTo } from "../database/connection.ts";

/** While notices come in, polling only catches those that were missed. */
const TOLD_MS = 1_000;
/** While none can (the server is away, or a pooler of connections is before it), the polling interval starts at the first and grows to the second. */
const UNTOLD_MS = { least: 50, most: 400 };

export type LiveBell = {
  /** Resolves at the next notice of this thread, at one since the last call, or after a while. */
  listen(threadId: string, signal: AbortSignal): { rung(): Promise<void>; end(): void };
  close(): Promise<void>;
};

type Listener = { threadId: string; ring(): void };

/** One connection for all readers of a process, as long as there are any. `url`: null where no session can listen. `channel`: a name
 *  without quotes. */
export function liveBell({ url, channel }: { url: string | null; channel: string }): LiveBell {
  const listeners = new Set<Listener>();
  let client: Promise<pg.Client | null> | null = null;

  const connect = async (): Promise<pg.Client | null> => {
    if (url === null) return null;
    const fresh = new pg.Client({ ...connectionTo(url), connectionTimeoutMillis: 5_000 });
    const forget = (): void => {
      client = null;
    };
    fresh.on("error", forget).on("end", forget);
    fresh.on("notification", ({ payload }) => {
      for (const each of listeners) if (each.threadId === payload) each.ring();
    });
    try {
      await fresh.connect();
      await fresh.query(`LISTEN ${channel}`);
      return fresh;
    } catch {
      await fresh.end().catch(() => {});
      client = null;
      return null;
    }
  };
  const end = async (): Promise<void> => {
    const last = client;
    client = null;
    await (await last)?.end().catch(() => {});
  };
  return {
    listen(threadId, signal) {
      let rang = false;
      let wake: (() => void) | null = null;
      let untoldMs = UNTOLD_MS.least;
      let toldBy: pg.Client | null = null;
      const ring = (): void => {
        rang = true;
        wake?.();
      };
      const listener = { threadId, ring };
      listeners.add(listener);
      signal.addEventListener("abort", ring);
      return {
        async rung() {
          client ??= connect();
          const by = await client;
          // What was written before the connection listened is not told: look once more.
          if (rang || signal.aborted || (by !== null && by !== toldBy)) {
            toldBy = by;
            rang = false;
            untoldMs = UNTOLD_MS.least;
            return;
          }
          const { promise, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          const timer = setTimeout(resolve, by === null ? untoldMs : TOLD_MS);
          untoldMs = Math.min(untoldMs * 2, UNTOLD_MS.most);
          await promise;
          clearTimeout(timer);
          wake = null;
          rang = false;
        },
        end() {
          listeners.delete(listener);
          signal.removeEventListener("abort", ring);
          if (listeners.size === 0) void end();
        },
      };
    },
    close: end,
  };
}
