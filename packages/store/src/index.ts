export { addHistory, type HistoryRecords, historyRecords } from "./history/history-records.ts";
export { DEFAULT_BOUNDS, type LiveBounds } from "./live/bounds.ts";
export { fileLiveLog } from "./live/file-live-log.ts";
export { liveLine } from "./live/live-line.ts";
export { looksBack } from "./live/looks-back.ts";
export { memoryLiveLog } from "./live/memory-live-log.ts";
export { casLock } from "./lock/cas-lock.ts";
export { type FileLock, lockFile, tryLockFile } from "./lock/file-lock.ts";
export { registryLock } from "./lock/registry-lock.ts";
export {
  type CopiedRow,
  type IndexTable,
  type TableCopy,
  tableCopy,
} from "./operations/copy-tables.ts";
export type { Index } from "./operations/root-index.ts";
export { checkThreadIndex } from "./sqlite/check-index.ts";
export { indexTables } from "./sqlite/index-tables.ts";
export { type MovingIndex, openArrivingIndex, openLeavingIndex } from "./sqlite/moving-index.ts";
export { snapshotIndex } from "./sqlite/snapshot-index.ts";
export {
  openIndex,
  openSchedules,
  openTasks,
  openThreadStore,
  openTriggers,
} from "./sqlite/sqlite-store.ts";
export type { LostIndex } from "./sqlite/thread-index.ts";
export { type HeldLock, heldWriteLock } from "./sqlite/write-lock.ts";
export { memorySchedules } from "./threads/memory-schedules.ts";
export { memoryIndex, memoryThreadStore } from "./threads/memory-store.ts";
export { memoryTasks } from "./threads/memory-tasks.ts";
export { memoryTriggers } from "./threads/memory-triggers.ts";
