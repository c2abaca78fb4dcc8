export {
  appendHistory,
  appendRemoval,
  readHistory,
  readWholeHistory,
  type WholeHistory,
} from "./history/history.ts";
export type { HistoryLine } from "./history/history-line.ts";
export type { LiveBounds } from "./live/bounds.ts";
export { fileLiveLog } from "./live/file-live-log.ts";
export { looksBack } from "./live/looks-back.ts";
export { memoryLiveLog } from "./live/memory-live-log.ts";
export { type FileLock, lockFile } from "./lock/file-lock.ts";
export { registryLock } from "./lock/registry-lock.ts";
export { checkThreadIndex } from "./sqlite/check-index.ts";
export { type Index, openIndex, openThreadStore } from "./sqlite/sqlite-store.ts";
export type { LostIndex } from "./sqlite/thread-index.ts";
export { type HeldLock, heldWriteLock } from "./sqlite/write-lock.ts";
export { memoryThreadStore } from "./threads/memory-store.ts";
