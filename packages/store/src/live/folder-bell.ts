/** Rings when something changes in a folder. */
import { type FSWatcher, watch } from "node:fs";

/** Where the system reports changes, polling only catches what it misses, as on some network file systems. */
const TOLD_MS = 1_000;
/** Where it does not (no such folder yet, no more watches available), the polling interval starts at the first and
 *  grows to the second. */
const UNTOLD_MS = { least: 50, most: 400 };

export type FolderBell = {
  /** Resolves at the next change, at one since the last call, or after a timeout. */
  rung(): Promise<void>;
  close(): void;
};

/** Aborting the signal rings, too. */
export function folderBell(folder: string, signal: AbortSignal): FolderBell {
  let watcher: FSWatcher | null = null;
  let rang = false;
  let wake: (() => void) | null = null;
  let untoldMs = UNTOLD_MS.least;
  const ring = (): void => {
    rang = true;
    wake?.();
  };
  const silence = (): void => {
    watcher?.close();
    watcher = null;
  };
  const listen = (): void => {
    try {
      watcher ??= watch(folder, { persistent: false }, ring).on("error", silence);
    } catch {
      // Not there yet, or too many watches already: fall back to polling (UNTOLD_MS).
    }
  };
  signal.addEventListener("abort", ring);
  return {
    rung: async () => {
      const told = watcher !== null;
      listen();
      // Changes from before the watch started are not reported: check once more.
      if (rang || signal.aborted || (!told && watcher !== null)) {
        rang = false;
        untoldMs = UNTOLD_MS.least;
        return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, watcher === null ? untoldMs : TOLD_MS);
      untoldMs = Math.min(untoldMs * 2, UNTOLD_MS.most);
      await promise;
      clearTimeout(timer);
      wake = null;
      rang = false;
    },
    close: () => {
      signal.removeEventListener("abort", ring);
      silence();
    },
  };
}
