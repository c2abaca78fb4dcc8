/** A root in its folder, on its way. */
import { existsSync } from "node:fs";
import { fileRegistry } from "@uncaged/workflow-register";
import {
  addHistory,
  fileLiveLog,
  historyRecords,
  type MovingIndex,
  openArrivingIndex,
  openLeavingIndex,
  registryLock,
  tableCopy,
} from "@uncaged/workflow-store";
import { makeFolderSync, ownIdentity, storagePaths } from "@uncaged/workflow-util";
import { folderPlace, readMoveMark, writeMoveMark } from "../place/move-mark.ts";
import { kindOf, storageOn } from "../storage/open-storage.ts";
import { folderBundles } from "./folder-bundles.ts";
import type { Destination, MovingEnd, MovingSource } from "./moving-end.ts";

/** Throws `STORAGE_FAILED`, `STORAGE_DAMAGED`, `STORAGE_NEWER` or `CONFIG_INVALID`. */
export async function leavingFolder(root: string): Promise<MovingSource> {
  const index = await openLeavingIndex(root);
  return {
    ...(await endOn(root, index)),
    leave: async (place) => {
      // The index first: without the mark, whoever opens it takes that back, and nothing has happened.
      await index.leave();
      await writeMoveMark(root, { state: "left", place });
    },
  };
}

/** A folder that has no index, or one that a move has begun. */
export function folderDestination(root: string): Destination {
  const place = folderPlace(root);
  let opened: MovingEnd | null = null;
  return {
    place,
    state: stateOf(root),
    async open(from) {
      makeFolderSync(root);
      // Before the index: one without the mark is in use.
      await writeMoveMark(root, { state: "arriving", place: from });
      opened = await endOn(root, await openArrivingIndex(root));
      return {
        ...opened,
        addHistory: async (records) => addHistory(root, records),
        // SQLite numbers rows after the last one that it finds.
        settle: async () => {},
      };
    },
    arrived: () => writeMoveMark(root, null),
    close: async () => opened?.close(),
  };
}

function stateOf(root: string): Destination["state"] {
  const { index, moveMark } = storagePaths(root);
  const mark = readMoveMark(root);
  if (mark?.state === "arriving") return { kind: "unfinished", from: mark.place };
  if (!existsSync(index)) return { kind: "new" };
  const hint =
    mark === null
      ? "choose a folder without a root of its own"
      : `it is what the root was before it left; once you need it no more: rm ${index}* ${moveMark}`;
  return { kind: "in use", hint };
}

async function endOn(root: string, index: MovingIndex): Promise<MovingEnd> {
  const kind = await kindOf(root);
  const { cas, threads } = await storageOn(index, { root, kind, place: null });
  const live = fileLiveLog({
    folder: storagePaths(root).liveFolder,
    boot: () => ownIdentity().bootId,
  });
  return {
    place: folderPlace(root),
    threads,
    cas,
    tables: tableCopy(index.perform),
    registry: fileRegistry({ root, exclusively: registryLock(root) }),
    bundles: folderBundles(root),
    live,
    history: async () => historyRecords(root),
    now: async () => Date.now(),
    close: async () => {
      await live.close();
      await cas.close();
      await threads.close();
    },
  };
}
