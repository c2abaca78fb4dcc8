/** Publishing: the head of a thread moves, in one update and one flush. The blobs it names become durable before it, or
 *  with it in one transaction; a crash before that leaves only garbage. */
import type {
  AnswerMove,
  FinalMove,
  HeadMove,
  OwnerMove,
  SignalKind,
} from "@uncaged/workflow-protocol";
import { endedLine } from "../threads/ended-line.ts";
import { isPublished, toAnswerInPerson, toMove } from "../threads/refusals.ts";
import { finishedThread } from "../threads/thread-changes.ts";
import { NO_LEASE, OWNED } from "./lease-columns.ts";
import { forgetAsks } from "./member-asks.ts";
import { recordNotices } from "./notices.ts";
import { change, changing, type Deed, type Operation, one } from "./operation.ts";
import { NOT_QUEUED } from "./queue-places.ts";
import { refused } from "./refused.ts";
import { NO_SIGNALS, waitingSignals } from "./signals.ts";
import { book } from "./spent.ts";
import { getThread } from "./thread-queries.ts";
import { ENDING, NO_PENDING_INPUT, SUSPENSION, storedEnding, storedWaits } from "./thread-rows.ts";

export function publishMove(move: HeadMove): Deed<SignalKind[]> {
  return changing(`publish a step of thread ${move.threadId}`, () => moveHead(move));
}

/** Publishes a step inside the caller's transaction, which may also store the step's blobs. */
export function* moveHead(move: HeadMove): Operation<SignalKind[]> {
  if (move.kind === "answer") yield* moveByAnswer(move);
  else yield* moveByOwner(move);
  // A lookup instead of RETURNING, which would create a temporary table at every step.
  return yield* waitingSignals(move.threadId);
}

function* moveByOwner(move: OwnerMove): Operation<void> {
  const { threadId, fence } = move;
  const more = move.kind === "upgrade" ? { bundleHash: move.bundleHash } : {};
  const changes = yield* change(MOVES[move.kind], { ...moveValues(move), fence, ...more });
  if (changes !== 1) {
    const thread = yield* getThread(threadId);
    if (isPublished(thread, move)) return;
    throw refused(toMove(thread, move), threadId);
  }
  if ("spent" in move) yield* book(move.spent ?? null, move);
}

/** A person's step. Nobody owns the thread, so what it waits for is compared in place of a fence. */
function* moveByAnswer(move: AnswerMove): Operation<void> {
  const { threadId, waits } = move;
  const status = waits.length === 0 ? "idle" : "suspended";
  const values = { ...moveValues(move), status, ...storedWaits(waits) };
  const changes = yield* change(BY_ANSWER, values);
  if (changes !== 1) throw refused(toAnswerInPerson(yield* getThread(threadId), move), threadId);
}

/** Publishes the end node, a line of history, the final status and the release of the lease together.
 *
 *  Order of effects: the line is on disk before the transaction commits. A crash in between leaves the thread
 *  unfinished; it ends again after a resume and appends another line. In the opposite order a finished thread could be
 *  missing from history for good. An owner that was replaced writes neither: the fence is checked first. */
export function finishThread(move: FinalMove): Deed<void> {
  const { threadId, fence, to, status } = move;
  const ended = { fence, to, status };
  return changing(`finish thread ${threadId}`, function* () {
    if ((yield* one(FINISHED, { ...ended, threadId })) !== undefined) return;
    const before = toMove(yield* getThread(threadId), move);
    const values = { ...moveValues(move), fence: move.fence, ...storedEnding(move) };
    const changes = yield* change(FINISH, values);
    if (!before.ok || changes !== 1) throw refused(before, threadId);
    yield* book(move.spent ?? null, move);
    yield* forgetAsks(threadId);
    yield* recordNotices(threadId);
    yield { kind: "history", line: endedLine(finishedThread(before.value, move)) };
  });
}

const HEAD = "head = :to, headSha256 = :toSha256, updatedAt = :nowMs";
const FROM_HEAD = `${OWNED} AND head = :from`;
const NOT_REPLACED = "replacedHead = NULL, replacedSha256 = NULL";

// Columns on the right-hand side have the values from before the update.
export const MOVES: { readonly [kind in OwnerMove["kind"]]: string } = {
  append: `
    UPDATE threads SET ${HEAD}, stepCount = stepCount + 1, ${NO_PENDING_INPUT}, ${NOT_REPLACED}
    WHERE ${FROM_HEAD}`,
  replace: `
    UPDATE threads SET ${HEAD}, ${NO_PENDING_INPUT},
      replacedHead = head, replacedSha256 = headSha256
    WHERE ${FROM_HEAD}`,
  upgrade: `
    UPDATE threads SET ${HEAD}, bundleHash = :bundleHash, ${NOT_REPLACED}
    WHERE ${FROM_HEAD}`,
  note: `
    UPDATE threads SET ${HEAD}, ${NOT_REPLACED}
    WHERE ${FROM_HEAD}`,
};

const BY_ANSWER = `
  UPDATE threads SET ${HEAD}, stepCount = stepCount + 1, ${NO_PENDING_INPUT}, ${NOT_REPLACED},
    status = :status, ${SUSPENSION}
  WHERE threadId = :threadId AND status = 'suspended' AND suspendedKind = 'person' AND head = :from`;

/** By this very move, whose answer was lost. */
const FINISHED = `
  SELECT 1 FROM threads
  WHERE threadId = :threadId AND fence = :fence AND head = :to AND status = :status`;

const FINISH = `
  UPDATE threads SET ${HEAD}, ${ENDING}, ${NO_PENDING_INPUT}, ${NOT_REPLACED},
    ${NO_LEASE}, ${NOT_QUEUED}, ${NO_SIGNALS}
  WHERE ${FROM_HEAD}`;

export function moveValues(move: HeadMove | FinalMove): Record<string, string | number> {
  const { threadId, from, to, toSha256, nowMs } = move;
  return { threadId, from, to, toSha256, nowMs };
}
