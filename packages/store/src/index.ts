export {
  appendHistory,
  appendRemoval,
  readHistory,
  readWholeHistory,
  type WholeHistory,
} from "./history.ts";
export type { HistoryLine } from "./history-line.ts";
export type { LiveBounds } from "./live/bounds.ts";
export { fileLiveLog } from "./live/file-live-log.ts";
export { memoryLiveLog } from "./live/memory-live-log.ts";
export { memoryThreadStore } from "./memory-store.ts";
export { checkThreadIndex } from "./sqlite/check-index.ts";
export { type Index, openIndex, openThreadStore } from "./sqlite/sqlite-store.ts";
export type { LostIndex } from "./sqlite/thread-index.ts";
export { type HeldLock, heldWriteLock } from "./sqlite/write-lock.ts";
