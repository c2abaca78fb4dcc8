import type {
  Lease,
  NewThread,
  ReachedLimit,
  SignalKind,
  ThreadRecord,
} from "@uncaged/workflow-protocol";
import {
  integer,
  type NamedRow,
  optionalInteger,
  optionalProse,
  optionalText,
  prose,
  type Row,
  status,
  text,
} from "./thread-columns.ts";
import { reachedLimit, storedLimits } from "./thread-limits.ts";

/** For the RETURNING of a statement whose rows `signalsOf` takes. */
export const SIGNAL_COLUMNS = "pauseSignalAt, stopSignalAt, killSignalAt";

/** Throws `STORAGE_FAILED` for a row that this program cannot have written. */
export function recordOf(selected: unknown): ThreadRecord {
  const row: Row = Array.isArray(selected) ? selected : [];
  const suspendedRole = optionalText(row, "suspendedRole");
  const replacedHead = optionalText(row, "replacedHead");
  const answerRole = optionalText(row, "answerRole");
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
        : {
            role: suspendedRole,
            message: prose(row, "suspendedMessage"),
            ...(optionalText(row, "suspendedKind") === "limit" ? { kind: "limit" } : {}),
            ...reachedLimit(optionalText(row, "suspendedLimit")),
          },
    answer: answerRole === null ? null : { role: answerRole, text: prose(row, "answerText") },
    nextPrompt: optionalProse(row, "nextPrompt"),
    limits: storedLimits(optionalText(row, "limits")),
    agent: optionalText(row, "agent"),
    replaced:
      replacedHead === null
        ? null
        : { head: replacedHead, headSha256: text(row, "replacedSha256") },
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
    limits: thread.limits == null ? null : JSON.stringify(thread.limits),
    agent: thread.agent ?? null,
    nextPrompt: thread.nextPrompt == null ? null : storedProse(thread.nextPrompt),
    forkedFromThread: thread.forkedFrom?.threadId ?? null,
    forkedFromState: thread.forkedFrom?.stateHash ?? null,
    startedAt: thread.startedAt,
    createdAt: thread.createdAt,
  };
}

/** A limit that a thread waits at, as it is stored. */
export function storedLimit(reached: ReachedLimit | undefined): string | null {
  return reached === undefined ? null : JSON.stringify(reached);
}

/** Words of an agent or a person, as they are stored: any text at all comes back as it was. */
export function storedProse(words: string): string {
  return JSON.stringify(words);
}

export function reversed(id: string): string {
  return [...id].reverse().join("");
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
