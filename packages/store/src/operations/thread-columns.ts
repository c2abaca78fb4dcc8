/** Values from the index, each checked before it is trusted: another program may have written there. A value that does
 *  not fit is `STORAGE_FAILED`, with the thread and the column. */
import {
  failure,
  THREAD_STATUSES,
  type ThreadStatus,
  WorkflowError,
} from "@uncaged/workflow-protocol";

/** The columns of a record, in selection order. */
const COLUMNS = [
  "threadId",
  "workflow",
  "bundleHash",
  "startHash",
  "head",
  "headSha256",
  "status",
  "stepCount",
  "depth",
  "parentThread",
  "cwd",
  "returnCode",
  "summary",
  "suspendedRole",
  "suspendedMessage",
  "suspendedKind",
  "suspendedLimit",
  "waits",
  "answerRole",
  "answerText",
  "nextPrompt",
  "limits",
  "agent",
  "title",
  "promptLine",
  "labels",
  "priority",
  "pool",
  "needs",
  "queuedAt",
  "queuedFor",
  "notBefore",
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "costUsd",
  "estimated",
  "replacedHead",
  "replacedSha256",
  "forkedFromThread",
  "forkedFromState",
  "startedAt",
  "createdAt",
  "updatedAt",
  "fence",
  "leasePid",
  "leaseStartedAt",
  "leaseBootId",
  "leaseAcquiredAt",
  "leaseHeartbeatAt",
  "leaseExpiresAt",
  "pauseSignalAt",
  "stopSignalAt",
  "killSignalAt",
] as const;
type Column = (typeof COLUMNS)[number];

const POSITION: ReadonlyMap<Column, number> = new Map(COLUMNS.map((name, at) => [name, at]));

/** For the SELECT or RETURNING of a statement whose rows go to `recordOf`. */
export const RECORD_COLUMNS: string = COLUMNS.join(", ");

/** A record's values by position, not yet checked. */
export type Row = readonly unknown[];

/** A narrow row, by column name. */
export type NamedRow = Readonly<Record<string, unknown>>;

export function textOf(row: NamedRow, column: string): string {
  const value = row[column];
  return typeof value === "string" ? value : damaged({ column, value, threadId: row.threadId });
}

export function integerOf(row: NamedRow, column: string): number {
  const value = row[column];
  return typeof value === "number" ? value : damaged({ column, value, threadId: row.threadId });
}

export function text(row: Row, column: Column): string {
  const value = at(row, column);
  return typeof value === "string" ? value : damaged(found(row, column));
}

export function integer(row: Row, column: Column): number {
  const value = at(row, column);
  return typeof value === "number" ? value : damaged(found(row, column));
}

export function optionalText(row: Row, column: Column): string | null {
  return at(row, column) === null ? null : text(row, column);
}

export function prose(row: Row, column: Column): string {
  const words: unknown = JSON.parse(text(row, column));
  return typeof words === "string" ? words : damaged(found(row, column));
}

export function optionalProse(row: Row, column: Column): string | null {
  return at(row, column) === null ? null : prose(row, column);
}

export function optionalInteger(row: Row, column: Column): number | null {
  return at(row, column) === null ? null : integer(row, column);
}

/** Reads a column that holds JSON; `read` returns null for a value that it does not know. */
export function parsed<T>(row: Row, column: Column, read: (value: unknown) => T | null): T {
  return read(JSON.parse(text(row, column))) ?? damaged(found(row, column));
}

/** A value in this column contradicts the row's status. */
export function nothing(row: Row, column: Column): void {
  if (at(row, column) !== null) damaged(found(row, column));
}

export function status(row: Row): ThreadStatus {
  const value = at(row, "status");
  return THREAD_STATUSES.find((known) => known === value) ?? damaged(found(row, "status"));
}

function at(row: Row, column: Column): unknown {
  return row[POSITION.get(column) ?? -1];
}

type Damage = { column: string; value: unknown; threadId: unknown };

function found(row: Row, column: Column): Damage {
  return { column, value: at(row, column), threadId: at(row, "threadId") };
}

function damaged({ column, value, threadId }: Damage): never {
  throw new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `the index has no valid ${column} for thread ${threadId}: ${JSON.stringify(value)}`,
      "the index was changed by another program; restore it from a backup",
    ),
  );
}
