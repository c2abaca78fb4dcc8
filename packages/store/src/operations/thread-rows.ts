/** Converts rows of the index to threads, by status.
 *
 *  A row that fits no status is refused: a thread that ended without saying how, that has an ending but has not ended,
 *  or that runs without an owner. What a status makes meaningless, such as an answer to a finished thread, is ignored.
 */
import {
  DEFAULT_POOL,
  isFinal,
  type Lease,
  type NewThread,
  type PendingInput,
  type QueuePlace,
  type SignalKind,
  type ThreadEnding,
  type ThreadFacts,
  type ThreadRecord,
  type ThreadSteering,
  type Usage,
  type Wait,
  type Waits,
} from "@uncaged/workflow-protocol";
import { newPlace, SIGNAL_ORDER } from "../threads/thread-changes.ts";
import { promptLine } from "../threads/thread-words.ts";
import { personWaits } from "./person-waits.ts";
import { limitKeys, storedNames, storedPlace } from "./queue-places.ts";
import {
  integer,
  type NamedRow,
  nothing,
  optionalInteger,
  optionalProse,
  optionalText,
  parsed,
  prose,
  type Row,
  status,
  text,
} from "./thread-columns.ts";
import { storedLabels } from "./thread-labels.ts";
import { reachedLimit, storedLimits } from "./thread-limits.ts";

/** For the RETURNING of a statement whose rows go to `signalsOf`. */
export const SIGNAL_COLUMNS = "pauseSignalAt, stopSignalAt, killSignalAt";

/** Throws `STORAGE_FAILED` for a row that this program cannot have written. */
export function recordOf(selected: unknown): ThreadRecord {
  const row: Row = Array.isArray(selected) ? selected : [];
  const facts = factsOf(row);
  const known = status(row);
  if (known !== "running") nothing(row, "leasePid");
  if (known !== "suspended") nothing(row, "suspendedRole");
  if (known !== "queued") nothing(row, "queuedAt");
  if (isFinal(known)) {
    const returnCode = integer(row, "returnCode");
    return { ...facts, status: known, returnCode, summary: prose(row, "summary") };
  }
  nothing(row, "returnCode");
  nothing(row, "summary");
  const unfinished = { ...facts, ...steeringOf(row) };
  switch (known) {
    case "running":
      return { ...unfinished, status: known, lease: leaseOf(row) };
    case "queued":
      return { ...unfinished, status: known, queue: placeOf(row) };
    case "suspended":
      return { ...unfinished, status: known, waits: waitsOf(row) };
    default:
      return { ...unfinished, status: known };
  }
}

function factsOf(row: Row): ThreadFacts {
  const forkedFrom = optionalText(row, "forkedFromThread");
  return {
    threadId: text(row, "threadId"),
    workflow: text(row, "workflow"),
    bundleHash: text(row, "bundleHash"),
    startHash: text(row, "startHash"),
    head: text(row, "head"),
    headSha256: text(row, "headSha256"),
    stepCount: integer(row, "stepCount"),
    depth: integer(row, "depth"),
    parentThread: optionalText(row, "parentThread"),
    cwd: text(row, "cwd"),
    limits: storedLimits(optionalText(row, "limits")),
    agent: optionalText(row, "agent"),
    title: optionalProse(row, "title"),
    promptLine: optionalProse(row, "promptLine"),
    labels: storedLabels(optionalText(row, "labels")),
    priority: integer(row, "priority"),
    pool: text(row, "pool"),
    needs: needsOf(row),
    usage: usageOf(row),
    forkedFrom:
      forkedFrom === null
        ? null
        : { threadId: forkedFrom, stateHash: text(row, "forkedFromState") },
    startedAt: integer(row, "startedAt"),
    createdAt: integer(row, "createdAt"),
    updatedAt: integer(row, "updatedAt"),
  };
}

function needsOf(row: Row): readonly string[] {
  return optionalText(row, "needs") === null ? [] : parsed(row, "needs", storedNames);
}

function usageOf(row: Row): Usage | null {
  const inputTokens = optionalInteger(row, "inputTokens");
  if (inputTokens === null) return null;
  return {
    inputTokens,
    outputTokens: integer(row, "outputTokens"),
    cachedInputTokens: integer(row, "cachedInputTokens"),
    costUsd: optionalInteger(row, "costUsd"),
    ...(integer(row, "estimated") === 1 ? { estimated: true } : {}),
  };
}

function steeringOf(row: Row): ThreadSteering {
  const replaced = optionalText(row, "replacedHead");
  return {
    pendingInput: inputOf(row),
    replaced:
      replaced === null ? null : { head: replaced, headSha256: text(row, "replacedSha256") },
    signals: waiting({
      pause: optionalInteger(row, "pauseSignalAt"),
      stop: optionalInteger(row, "stopSignalAt"),
      kill: optionalInteger(row, "killSignalAt"),
    }),
  };
}

/** An earlier version could leave both; the answer is newer. */
function inputOf(row: Row): PendingInput | null {
  const role = optionalText(row, "answerRole");
  if (role !== null) return { kind: "answer", role, text: prose(row, "answerText") };
  const prompt = optionalProse(row, "nextPrompt");
  return prompt === null ? null : { kind: "prompt", text: prompt };
}

function waitsOf(row: Row): Waits {
  const kind = optionalText(row, "suspendedKind");
  if (kind === "person") return parsed(row, "waits", personWaits);
  const wait: Wait = {
    role: text(row, "suspendedRole"),
    message: prose(row, "suspendedMessage"),
    ...(kind === "limit" || kind === "coordinator" ? { kind } : {}),
    ...reachedLimit(optionalText(row, "suspendedLimit")),
  };
  return [wait];
}

function placeOf(row: Row): QueuePlace {
  return {
    since: integer(row, "queuedAt"),
    for: parsed(row, "queuedFor", limitKeys),
    notBefore: optionalInteger(row, "notBefore"),
  };
}

function leaseOf(row: Row): Lease {
  return {
    threadId: text(row, "threadId"),
    fence: integer(row, "fence"),
    process: {
      pid: integer(row, "leasePid"),
      startedAt: text(row, "leaseStartedAt"),
      bootId: text(row, "leaseBootId"),
    },
    acquiredAt: integer(row, "leaseAcquiredAt"),
    heartbeatAt: integer(row, "leaseHeartbeatAt"),
    expiresAt: integer(row, "leaseExpiresAt"),
  };
}

/** The values of a new row, by parameter name. */
export function newRow(thread: NewThread, startKey: string | null): Values {
  const line = promptLine(thread.prompt ?? null);
  const { needs = [] } = thread;
  const labelled = Object.keys(thread.labels ?? {}).length > 0;
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
    title: thread.title == null ? null : storedProse(thread.title),
    promptLine: line === null ? null : storedProse(line),
    labels: labelled ? JSON.stringify(thread.labels) : null,
    nextPrompt: thread.nextPrompt == null ? null : storedProse(thread.nextPrompt),
    forkedFromThread: thread.forkedFrom?.threadId ?? null,
    forkedFromState: thread.forkedFrom?.stateHash ?? null,
    startedAt: thread.startedAt,
    createdAt: thread.createdAt,
    priority: thread.priority ?? 0,
    pool: thread.pool ?? DEFAULT_POOL,
    needs: needs.length === 0 ? null : JSON.stringify(needs),
    status: thread.queue === undefined ? "idle" : "queued",
    ...storedPlace(newPlace(thread)),
  };
}

type Values = Record<string, string | number | null>;

/** For the SET part of an update: what a thread waits for. */
export const SUSPENSION = `suspendedRole = :suspendedRole, suspendedMessage = :suspendedMessage,
  suspendedKind = :suspendedKind, suspendedLimit = :suspendedLimit, waits = :waits`;
export const NO_SUSPENSION = `suspendedRole = NULL, suspendedMessage = NULL,
  suspendedKind = NULL, suspendedLimit = NULL, waits = NULL`;

/** The columns hold one question or limit, or the first of the people; `waits` has all of the people. */
export function storedWaits(waits: readonly Wait[]): Values {
  const [first] = waits;
  const limit = first?.kind === "person" ? undefined : first?.limit;
  return {
    suspendedRole: first?.role ?? null,
    suspendedMessage: first === undefined ? null : storedProse(first.message),
    suspendedKind: first?.kind ?? null,
    suspendedLimit: limit === undefined ? null : JSON.stringify(limit),
    waits: first?.kind === "person" ? JSON.stringify(waits) : null,
  };
}

/** For the SET part of an update: what a person said to the next step. */
export const PENDING_INPUT =
  "answerRole = :answerRole, answerText = :answerText, nextPrompt = :nextPrompt";
export const NO_PENDING_INPUT = "answerRole = NULL, answerText = NULL, nextPrompt = NULL";

export function storedInput(input: PendingInput | null): Values {
  return {
    answerRole: input?.kind === "answer" ? input.role : null,
    answerText: input?.kind === "answer" ? storedProse(input.text) : null,
    nextPrompt: input?.kind === "prompt" ? storedProse(input.text) : null,
  };
}

/** For the SET part of an update: how a thread ended. */
export const ENDING = "status = :status, returnCode = :returnCode, summary = :summary";

export function storedEnding({ status, returnCode, summary }: ThreadEnding): Values {
  return { status, returnCode, summary: storedProse(summary) };
}

/** Text of an agent or a person, encoded for storage: any text at all comes back unchanged. */
export function storedProse(words: string): string {
  return JSON.stringify(words);
}

export function reversed(id: string): string {
  return [...id].reverse().join("");
}

/** Pending signals of a row with `SIGNAL_COLUMNS`. */
export function signalsOf(row: NamedRow): SignalKind[] {
  const { pauseSignalAt: pause, stopSignalAt: stop, killSignalAt: kill } = row;
  return waiting({ pause, stop, kill });
}

function waiting(since: { readonly [kind in SignalKind]: unknown }): SignalKind[] {
  return SIGNAL_ORDER.filter((kind) => since[kind] !== null);
}
