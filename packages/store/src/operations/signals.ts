/** What other processes ask of a thread's owner. A signal waits in the thread's row, so an owner learns of it for free
 *  whenever it publishes. */
import {
  isFinal,
  type SignalKind,
  THREAD_STATUSES,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { quoted } from "../database/sql-text.ts";
import { notFound } from "../threads/refusals.ts";
import { all, change, changing, type Deed, type Operation, one, reading } from "./operation.ts";
import { getThread } from "./thread-queries.ts";
import { SIGNAL_COLUMNS, signalsOf } from "./thread-rows.ts";

/** For the SET part of an update. */
export const NO_SIGNALS = "pauseSignalAt = NULL, stopSignalAt = NULL, killSignalAt = NULL";

const COLUMN: { readonly [kind in SignalKind]: string } = {
  pause: "pauseSignalAt",
  stop: "stopSignalAt",
  kill: "killSignalAt",
};

const UNFINISHED = quoted(THREAD_STATUSES.filter((status) => !isFinal(status)));

/** A finished thread has no owner and never will, so its signals are not stored. */
export function leaveSignal(
  threadId: string,
  signal: { kind: SignalKind; nowMs: number },
): Deed<void> {
  const column = COLUMN[signal.kind];
  return changing(`signal thread ${threadId}`, function* () {
    yield* change(
      `UPDATE threads SET ${column} = :nowMs
         WHERE threadId = :threadId AND ${column} IS NULL AND status IN (${UNFINISHED})`,
      { threadId, nowMs: signal.nowMs },
    );
    yield* refuseUnknown(threadId);
  });
}

export function clearSignal(threadId: string, kind: SignalKind): Deed<void> {
  const column = COLUMN[kind];
  return changing(`clear a signal of thread ${threadId}`, function* () {
    yield* change(
      `UPDATE threads SET ${column} = NULL WHERE threadId = :threadId AND ${column} IS NOT NULL`,
      { threadId },
    );
    yield* refuseUnknown(threadId);
  });
}

/** One statement, however many threads. */
export function allSignals(threadIds: readonly string[]): Deed<SignalKind[][]> {
  return reading("read signals", function* () {
    const rows = yield* all(ALL_SIGNALS, { threadIds: JSON.stringify(threadIds) });
    const waiting = new Map(rows.map((row) => [row.threadId, signalsOf(row)]));
    return threadIds.map((threadId) => waiting.get(threadId) ?? []);
  });
}

export function* waitingSignals(threadId: string): Operation<SignalKind[]> {
  const row = yield* one(SIGNALS, { threadId });
  return row === undefined ? [] : signalsOf(row);
}

const ALL_SIGNALS = `
  SELECT threadId, ${SIGNAL_COLUMNS} FROM threads
  WHERE threadId IN (SELECT value FROM json_each(:threadIds))`;

const SIGNALS = `SELECT ${SIGNAL_COLUMNS} FROM threads WHERE threadId = :threadId`;

function* refuseUnknown(threadId: string): Operation<void> {
  if ((yield* getThread(threadId)) === null) throw new WorkflowError(notFound(threadId));
}
