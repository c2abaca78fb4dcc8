import { SILENT_MS } from "./tunnel-limits.ts";

const LOOK_EVERY_MS = 1_000;

/** Calls once nothing was heard for too long. By a clock that only goes on: a machine's time is set forward, which ends
 *  nothing, and back, during which a dead connection would be taken for a living one. */
export function watchSilence(onSilent: () => void): { heard: () => void; close: () => void } {
  let heardAt = performance.now();
  const timer = setInterval(() => {
    if (performance.now() - heardAt <= SILENT_MS) return;
    clearInterval(timer);
    onSilent();
  }, LOOK_EVERY_MS).unref();
  return {
    heard: () => {
      heardAt = performance.now();
    },
    close: () => clearInterval(timer),
  };
}
