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

/** What a record is made of, in the order in which it is selected. */
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

/** For the SELECT or RETURNING of a statement whose rows `recordOf` takes. */
export const RECORD_COLUMNS: string = COLUMNS.join(", ");

export const SIGNAL_COLUMNS = "pauseSignalAt, stopSignalAt, killSignalAt";

/** A record's values by position. What is in them is known only after a look. */
type Row = readonly unknown[];

/** Throws `STORAGE_FAILED` for a row that this program cannot have written. */
export function recordOf(selected: unknown): ThreadRecord {
  const row: Row = Array.isArray(selected) ? selected : [];
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
    summary: optionalProse(row, "summary"),
    suspended:
      suspendedRole === null
        ? null
        : { role: suspendedRole, message: prose(row, "suspendedMessage") },
    forkedFrom:
      forkedFrom === null
        ? null
        : { threadId: forkedFrom, stateHash: text(row, "forkedFromState") },
    startedAt: integer(row, "startedAt"),
    createdAt: integer(row, "createdAt"),
    updatedAt: integer(row, "updatedAt"),
    lease: leaseOf(row),
    signals: waiting({
      pause: optionalInteger(row, "pauseSignalAt"),
      stop: optionalInteger(row, "stopSignalAt"),
      kill: optionalInteger(row, "killSignalAt"),
    }),
  };
}

/** The values of a fresh row, by the name of their parameter. */
export function newRow(
  thread: NewThread,
  startKey: string | null,
): Record<string, string | number | null> {
  return {
    threadId: thread.threadId,
    threadIdReversed: reversed(thread.threadId),
    startKey,
    workflow: thread.workflow,
    bundleHash: thread.bundleHash,
    startHash: thread.startHash,
    head: thread.head,
    headSha256: thread.headSha256,
    stepCount: thread.stepCount,
    depth: thread.depth,
    parentThread: thread.parentThread,
    cwd: thread.cwd,
    forkedFromThread: thread.forkedFrom?.threadId ?? null,
    forkedFromState: thread.forkedFrom?.stateHash ?? null,
    startedAt: thread.startedAt,
    createdAt: thread.createdAt,
  };
}

/** Words of an agent or a person, as they are stored: any text at all comes back as it was. */
export function storedProse(words: string): string {
  return JSON.stringify(words);
}

export function reversed(id: string): string {
  return [...id].reverse().join("");
}

/** A narrow row, by the names of its columns. */
type NamedRow = Readonly<Record<string, unknown>>;

export function textOf(row: NamedRow, column: string): string {
  const value = row[column];
  return typeof value === "string" ? value : damaged({ column, value, threadId: row.threadId });
}

export function integerOf(row: NamedRow, column: string): number {
  const value = row[column];
  return typeof value === "number" ? value : damaged({ column, value, threadId: row.threadId });
}

/** Signals that wait, of a row with `SIGNAL_COLUMNS`. */
export function signalsOf(row: NamedRow): SignalKind[] {
  const { pauseSignalAt: pause, stopSignalAt: stop, killSignalAt: kill } = row;
  return waiting({ pause, stop, kill });
}

/** Always in this order. */
function waiting(since: { readonly [kind in SignalKind]: unknown }): SignalKind[] {
  return (["pause", "stop", "kill"] as const).filter((kind) => since[kind] !== null);
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
  const value = at(row, "status");
  return THREAD_STATUSES.find((known) => known === value) ?? damaged(found(row, "status"));
}

function text(row: Row, column: Column): string {
  const value = at(row, column);
  return typeof value === "string" ? value : damaged(found(row, column));
}

function integer(row: Row, column: Column): number {
  const value = at(row, column);
  return typeof value === "number" ? value : damaged(found(row, column));
}

function optionalText(row: Row, column: Column): string | null {
  return at(row, column) === null ? null : text(row, column);
}

function prose(row: Row, column: Column): string {
  const words: unknown = JSON.parse(text(row, column));
  return typeof words === "string" ? words : damaged(found(row, column));
}

function optionalProse(row: Row, column: Column): string | null {
  return at(row, column) === null ? null : prose(row, column);
}

function optionalInteger(row: Row, column: Column): number | null {
  return at(row, column) === null ? null : integer(row, column);
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
