import { useSyncExternalStore } from "react";
import { ago, moment } from "./times.ts";

let nowMs = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for the whole page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Now, to the second: the reader is drawn again as it goes on. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

/** A moment as people say it, and to the second when pointed at. */
export function Ago({ at }: { at: number }) {
  const now = useNow();
  return (
    <time
      dateTime={Number.isFinite(at) ? new Date(at).toISOString() : undefined}
      title={moment(at)}
      className="whitespace-nowrap"
    >
      {ago(at, Math.max(now, at))}
    </time>
  );
}
