export {
  appendHistory,
  appendRemoval,
  readHistory,
  readWholeHistory,
  type WholeHistory,
} from "./history.ts";
export type { HistoryLine } from "./history-line.ts";
export { memoryThreadStore } from "./memory-store.ts";
export { checkThreadIndex } from "./sqlite/check-index.ts";
export { type Index, openIndex, openThreadStore } from "./sqlite/sqlite-store.ts";
export type { LostIndex } from "./sqlite/thread-index.ts";
