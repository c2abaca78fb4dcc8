/** The engine on a simulated disk, index and clock. One seed makes one world, always the same. */
import { openFilesStore } from "@uncaged/workflow-cas";
import { publishInTurn } from "@uncaged/workflow-execute";
import { memoryThreadStore } from "@uncaged/workflow-store";
import { storagePaths } from "@uncaged/workflow-util";
import { LossyDisk } from "./lossy-disk.mjs";
import { overlay } from "./overlay-fs.mjs";

/** Longer than a lease: whoever owned a thread before the cut does not own it after it. */
const CUT_TAKES_MS = 10 * 60 * 1000;

/** `base`: where the registry and the bundles are, on the real disk. */
export function newWorld({ root, packagesBase, bundleHash }) {
  let nowMs = Date.UTC(2026, 0, 1);
  const now = () => (nowMs += 3);
  const disk = new LossyDisk(root, () => nowMs);
  disk.mkdirSync(storagePaths(root).bundles);
  disk.mkdirSync(storagePaths(root).bundle(bundleHash));
  for (const folder of [root, storagePaths(root).bundles]) disk.flush(disk.open(folder, {}));
  const folders = [storagePaths(root).cas, storagePaths(root).history(bundleHash)];
  const covers = (path) =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`)) ||
    handledAsFolder(path);
  // Their parents are flushed when they are made, which is for the simulated disk to know.
  const parents = new Set([root, storagePaths(root).bundle(bundleHash)]);
  const handledAsFolder = (path) => parents.has(path);
  overlay.current = { disk, covers };

  const store = powered(disk, memoryThreadStore());
  const engine = () => {
    const cas = openFilesStore(storagePaths(root).cas);
    return {
      root,
      cas,
      store,
      publish: publishInTurn({ cas, store }),
      table: null,
      now,
      packagesBase,
    };
  };
  return {
    disk,
    store,
    engine,
    pass: (ms) => {
      nowMs += ms;
    },
    restart: (random) => {
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
