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
import type { ThreadIndex } from "./thread-index.ts";
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
  index: ThreadIndex,
  threadId: string,
  signal: { kind: SignalKind; nowMs: number },
): void {
  const column = COLUMN[signal.kind];
  index.transaction(`signal thread ${threadId}`, () => {
    index
      .sql(
        `UPDATE threads SET ${column} = :nowMs
         WHERE threadId = :threadId AND ${column} IS NULL AND status IN (${UNFINISHED})`,
      )
      .run({ threadId, nowMs: signal.nowMs });
    refuseUnknown(index, threadId);
  });
}

export function clearSignal(index: ThreadIndex, threadId: string, kind: SignalKind): void {
  const column = COLUMN[kind];
  index.transaction(`clear a signal of thread ${threadId}`, () => {
    index
      .sql(
        `UPDATE threads SET ${column} = NULL WHERE threadId = :threadId AND ${column} IS NOT NULL`,
      )
      .run({ threadId });
    refuseUnknown(index, threadId);
  });
}

export function waitingSignals(index: ThreadIndex, threadIds: readonly string[]): SignalKind[][] {
  return index.read("read signals", () =>
    threadIds.map((threadId) => {
      const row = index
        .sql(`SELECT ${SIGNAL_COLUMNS} FROM threads WHERE threadId = :threadId`)
        .get({ threadId });
      return row === undefined ? [] : signalsOf(row);
    }),
  );
}

function refuseUnknown(index: ThreadIndex, threadId: string): void {
  if (getThread(index, threadId) === null) throw new WorkflowError(notFound(threadId));
}
