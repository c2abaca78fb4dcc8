/** What another database needs to be a backend: the operations, and the tables that they are about. */
export {
  decodeHistoryLine,
  encodeHistoryLine,
} from "./history/history-line.ts";
export type { HistoryRecords } from "./history/history-records.ts";
export { nameOf } from "./operations/blob-name.ts";
export type { IndexTable } from "./operations/copy-tables.ts";
export { MOVES, moveValues } from "./operations/head-moves.ts";
export {
  type Answer,
  changing,
  type Deed,
  NOTHING,
  type Operation,
  type Perform,
  type Request,
  type Statement,
} from "./operations/operation.ts";
export { NOTES, pieceOf } from "./operations/room.ts";
export { type Backend, type Index, rootIndex } from "./operations/root-index.ts";
export { schedulesOn } from "./operations/schedules.ts";
export { BOOKING, bookingValues } from "./operations/spent.ts";
export { tasksOn } from "./operations/tasks.ts";
export { SIGNAL_COLUMNS, signalsOf } from "./operations/thread-rows.ts";
export { triggersOn } from "./operations/triggers.ts";
export { MIGRATIONS } from "./sqlite/migrations.ts";
