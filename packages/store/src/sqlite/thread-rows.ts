import {
  failure,
  type Lease,
  type NewThread,
  type SignalKind,
  THREAD_STATUSES,
  type ThreadRecord,
  type ThreadStatus,
  WorkflowError,
} from "@uncaged/workflow-protocol";

/** A row as SQLite gives it; what is in it is known only after a look. */
export type Row = Readonly<Record<string, unknown>>;

/** Every column that a record is made of. */
export const RECORD_COLUMNS = `threadId, workflow, bundleHash, startHash, head, headSha256, status,
  stepCount, depth, parentThread, cwd, returnCode, summary, suspendedRole, suspendedMessage,
  forkedFromThread, forkedFromState, startedAt, createdAt, updatedAt, fence, leasePid,
  leaseStartedAt, leaseBootId, leaseAcquiredAt, leaseHeartbeatAt, leaseExpiresAt,
  pauseSignalAt, stopSignalAt, killSignalAt`;

export const SIGNAL_COLUMNS = "pauseSignalAt, stopSignalAt, killSignalAt";

/** Throws `STORAGE_FAILED` for a row that this program cannot have written. */
export function recordOf(row: Row): ThreadRecord {
  const suspendedRole = optionalText(row, "suspendedRole");
  const forkedFrom = optionalText(row, "forkedFromThread");
  return {
    threadId: text(row, "threadId"),
    workflow: text(row, "workflow"),
    bundleHash: text(row, "bundleHash"),
    startHash: text(row, "startHash"),
    head: text(row, "head"),
    headSha256: text(row, "headSha256"),
    status: status(row),
    stepCount: integer(row, "stepCount"),
    depth: integer(row, "depth"),
    parentThread: optionalText(row, "parentThread"),
    cwd: text(row, "cwd"),
    returnCode: optionalInteger(row, "returnCode"),
    summary: optionalText(row, "summary"),
    suspended:
      suspendedRole === null
        ? null
        : { role: suspendedRole, message: text(row, "suspendedMessage") },
    forkedFrom:
      forkedFrom === null
        ? null
        : { threadId: forkedFrom, stateHash: text(row, "forkedFromState") },
    startedAt: integer(row, "startedAt"),
    createdAt: integer(row, "createdAt"),
    updatedAt: integer(row, "updatedAt"),
    lease: leaseOf(row),
    signals: signalsOf(row),
  };
}

/** The values of a fresh row, by the name of their parameter. */
export function newRow(
  thread: NewThread,
  startKey: string | null,
): Record<string, string | number | null> {
  const { forkedFrom, ...columns } = thread;
  return {
    ...columns,
    threadIdReversed: reversed(thread.threadId),
    startKey,
    forkedFromThread: forkedFrom?.threadId ?? null,
    forkedFromState: forkedFrom?.stateHash ?? null,
  };
}

export function reversed(id: string): string {
  return [...id].reverse().join("");
}

/** Signals that wait, always in this order. */
export function signalsOf(row: Row): SignalKind[] {
  const waiting: SignalKind[] = [];
  if (optionalInteger(row, "pauseSignalAt") !== null) waiting.push("pause");
  if (optionalInteger(row, "stopSignalAt") !== null) waiting.push("stop");
  if (optionalInteger(row, "killSignalAt") !== null) waiting.push("kill");
  return waiting;
}

export function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === "string" ? value : damaged(row, column);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  return typeof value === "number" ? value : damaged(row, column);
}

function leaseOf(row: Row): Lease | null {
  const pid = optionalInteger(row, "leasePid");
  if (pid === null) return null;
  return {
    threadId: text(row, "threadId"),
    fence: integer(row, "fence"),
    process: { pid, startedAt: text(row, "leaseStartedAt"), bootId: text(row, "leaseBootId") },
    acquiredAt: integer(row, "leaseAcquiredAt"),
    heartbeatAt: integer(row, "leaseHeartbeatAt"),
    expiresAt: integer(row, "leaseExpiresAt"),
  };
}

function status(row: Row): ThreadStatus {
  return THREAD_STATUSES.find((known) => known === row.status) ?? damaged(row, "status");
}

function optionalText(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

function optionalInteger(row: Row, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

function damaged(row: Row, column: string): never {
  const thread = typeof row.threadId === "string" ? `thread ${row.threadId}` : "a thread";
  throw new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `the index has no valid ${column} for ${thread}: ${JSON.stringify(row[column])}`,
      "the index was changed by another program; restore it from a backup",
    ),
  );
}
