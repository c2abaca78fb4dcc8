/** The engine on a simulated disk and clock, with an index whose transactions are durable. One seed makes one
 *  world, always the same. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRootStore } from "@uncaged/workflow-cas";
import { flushBeforeRelease } from "@uncaged/workflow-execute";
import { memoryLiveLog, openIndex } from "@uncaged/workflow-store";
import { storagePaths } from "@uncaged/workflow-util";
import { LossyDisk } from "./lossy-disk.mjs";
import { overlay } from "./overlay-fs.mjs";

/** Longer than a lease: whoever owned a thread before the cut does not own it after it. */
const CUT_TAKES_MS = 10 * 60 * 1000;

/** No lease is renewed and no signal heard: both follow the real clock, and a seed would not play the same twice. */
const keeper = {
  keep: () => ({ stop: () => undefined, fault: () => null }),
  close: async () => undefined,
};

/** Longer than a seed: when a role is long at work is for the seed to say. */
const NEVER_MS = 2 ** 31 - 1;

/** Where the index's own flushes cost nothing, if there is such a place: they are not what is simulated. */
const INDEXES = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** `base`: where the registry and the bundles are, on the real disk. */
export async function newWorld({ root, packagesBase, bundleHash, registry }) {
  let nowMs = Date.UTC(2026, 0, 1);
  const now = () => (nowMs += 3);
  const indexFolder = mkdtempSync(join(INDEXES, "uwf-simulated-index-"));
  const index = await openIndex(indexFolder);
  // The index is real; the history beside it is not.
  const { bundles, bundle } = storagePaths(indexFolder);
  const disk = new LossyDisk([root, indexFolder], () => nowMs);
  disk.mkdirSync(bundle(bundleHash), { recursive: true });
  for (const folder of [indexFolder, bundles]) disk.flush(disk.open(folder, {}));
  const folders = [storagePaths(root).cas, bundles];
  // Their parents are flushed when they are made, which is for the simulated disk to know.
  const parents = new Set([root, indexFolder]);
  const covers = (path) =>
    parents.has(path) || folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  overlay.current = { disk, covers };
  const threads = powered(disk, index.threads);
  const table = powered(disk, index.blobs);
  const dispatch = powered(disk, index.dispatch);
  let stores = [];
  /** Of a process of its own: what waits in it to be written out is gone with a cut. */
  const engine = () => {
    const cas = openRootStore({
      dir: storagePaths(root).cas,
      table,
      threads,
      kind: "files",
      quietMs: NEVER_MS,
    });
    stores.push(cas);
    const live = memoryLiveLog();
    const store = flushBeforeRelease(threads, { root: indexFolder, cas, live });
    return { root, cas, store, dispatch, registry, live, keeper, now, packagesBase };
  };
  return {
    disk,
    engine,
    /** A role is at work for so long that the steps before it are written out. */
    quiet: async () => {
      for (const each of stores) await each.flush();
    },
    /** Blobs that are rows. */
    rows: () => table.list(),
    close: async () => {
      await index.threads.close();
      rmSync(indexFolder, { recursive: true });
    },
    pass: (ms) => {
      nowMs += ms;
    },
    restart: (random) => {
      stores = [];
      disk.restart(random);
      nowMs += CUT_TAKES_MS;
    },
  };
}

/** An index whose every change is one durable transaction, on the same power as the disk: a cut before it
 *  leaves it undone, a cut after it leaves it done, though nobody was told. */
function powered(disk, store) {
  const wrapped = {};
  for (const [name, operation] of Object.entries(store)) {
    wrapped[name] = async (...args) => {
      disk.operate(`index: ${name}`);
      const answer = await operation(...args);
      disk.operate(`index: ${name} done`);
      return answer;
    };
  }
  return wrapped;
}
