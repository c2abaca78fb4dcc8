import type { BlobTable, Dispatch, ThreadStore } from "@uncaged/workflow-protocol";
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import { readHistory } from "../history/history.ts";
import { answerAsk, askAnswer, openAsk, openAsks, withdrawAsk } from "./asks.ts";
import { blobTable } from "./blob-table.ts";
import { commitQueue } from "./commit-queue.ts";
import { finishThread, moveHead } from "./head-moves.ts";
import { hold, holdsAt } from "./holds.ts";
import { acquireLease, releaseLease, renewLeases } from "./leases.ts";
import { closeQueue, openQueue, queueClosedSince, readLimits, setLimits } from "./limits.ts";
import { askedMembers, askMembers, closeAsks } from "./member-asks.ts";
import { listNotices, putOffNotice, setListeners, settleNotice } from "./notices.ts";
import { nextThreads, queuedThreads, unwantThread, wantThread } from "./queue.ts";
import { askBudget, freeOfAgent, lendRoom, takeForAgent, takeRoomBack } from "./room.ts";
import { clearSignal, leaveSignal, waitingSignals } from "./signals.ts";
import { spentSums } from "./spent.ts";
import { type LostIndex, openThreadIndex } from "./thread-index.ts";
import {
  adoptThreads,
  answerThread,
  createThread,
  forgetThreads,
  labelThread,
  raiseLimits,
  removeThread,
} from "./thread-lifecycle.ts";
import { getThread, listThreads, matchThreads, threadRoots } from "./thread-queries.ts";

/** What is in one index. Closing the threads closes all of it. */
export type Index = { threads: ThreadStore; blobs: BlobTable; dispatch: Dispatch };

/** Opens the index of a storage root, creating it if the root is new. Throws `STORAGE_FAILED`, `STORAGE_DAMAGED` when
 *  the root has lost its index, or `STORAGE_NEWER` when a later version of this program wrote it.
 *
 *  SQLite is called synchronously: a change is one flush, which a thread pool would only delay. */
export async function openIndex(root: string, lost: LostIndex = "refused"): Promise<Index> {
  const index = await openThreadIndex(root, lost);
  const commit = commitQueue(index);
  const threads: ThreadStore = {
    create: (thread, startKey) => retryWhileBusy(() => createThread(index, thread, startKey)),
    adopt: (threads) => retryWhileBusy(() => adoptThreads(index, threads)),
    get: (threadId) => retryWhileBusy(() => getThread(index, threadId)),
    match: (part, limit) => retryWhileBusy(() => matchThreads(index, part, limit)),
    list: (filter) => retryWhileBusy(() => listThreads(index, filter)),
    spent: (query) => retryWhileBusy(() => spentSums(index, query)),
    roots: () => retryWhileBusy(() => threadRoots(index)),
    acquire: (request) => retryWhileBusy(() => acquireLease(index, request)),
    renew: (request) => retryWhileBusy(() => renewLeases(index, request)),
    signals: (threadIds) => retryWhileBusy(() => waitingSignals(index, threadIds)),
    advance: (move) =>
      commit(`publish a step of thread ${move.threadId}`, () => moveHead(index, move)),
    finish: (finish) => retryWhileBusy(() => finishThread(index, finish)),
    release: (request) => retryWhileBusy(() => releaseLease(index, request)),
    signal: (threadId, kind, nowMs) =>
      retryWhileBusy(() => leaveSignal(index, threadId, { kind, nowMs })),
    clearSignal: (threadId, kind) => retryWhileBusy(() => clearSignal(index, threadId, kind)),
    answer: (answer) => retryWhileBusy(() => answerThread(index, answer)),
    raise: (request) => retryWhileBusy(() => raiseLimits(index, request)),
    label: (request) => retryWhileBusy(() => labelThread(index, request)),
    ask: (request) => retryWhileBusy(() => openAsk(index, request)),
    askMembers: (request) => retryWhileBusy(() => askMembers(index, request)),
    askedMembers: (filter) => retryWhileBusy(() => askedMembers(index, filter)),
    closeAsks: (request) => retryWhileBusy(() => closeAsks(index, request)),
    asks: (filter) => retryWhileBusy(() => openAsks(index, filter)),
    answerAsk: (request) => retryWhileBusy(() => answerAsk(index, request)),
    askAnswer: (request) => retryWhileBusy(() => askAnswer(index, request)),
    withdrawAsk: (request) => retryWhileBusy(() => withdrawAsk(index, request)),
    listen: (listeners) => retryWhileBusy(() => setListeners(index, listeners)),
    notices: (filter) => retryWhileBusy(() => listNotices(index, filter)),
    settleNotice: (request) => retryWhileBusy(() => settleNotice(index, request)),
    putOffNotice: (request) => retryWhileBusy(() => putOffNotice(index, request)),
    remove: (request) => retryWhileBusy(() => removeThread(index, request)),
    history: () => readHistory(root),
    forget: (request) => retryWhileBusy(() => forgetThreads(index, request)),
    close: async () => index.close(),
  };
  const dispatch: Dispatch = {
    want: (job) => retryWhileBusy(() => wantThread(index, job)),
    unwant: (threadId, nowMs) => retryWhileBusy(() => unwantThread(index, threadId, nowMs)),
    list: () => retryWhileBusy(() => queuedThreads(index)),
    next: (request) => retryWhileBusy(() => nextThreads(index, request)),
    limit: (limits) => retryWhileBusy(() => setLimits(index, limits)),
    limits: () => retryWhileBusy(() => readLimits(index)),
    pause: (nowMs) => retryWhileBusy(() => closeQueue(index, nowMs)),
    resume: () => retryWhileBusy(() => openQueue(index)),
    pausedSince: () => retryWhileBusy(() => queueClosedSince(index)),
    lend: (owner) => retryWhileBusy(() => lendRoom(index, owner)),
    takeBack: (owner) => retryWhileBusy(() => takeRoomBack(index, owner)),
    take: (request) => retryWhileBusy(() => takeForAgent(index, request)),
    free: (request) => retryWhileBusy(() => freeOfAgent(index, request)),
    hold: (request) => retryWhileBusy(() => hold(index, request)),
    holds: (nowMs) => retryWhileBusy(() => holdsAt(index, nowMs)),
    budget: (nowMs) => retryWhileBusy(() => askBudget(index, nowMs)),
  };
  return { threads, blobs: blobTable(index, commit), dispatch };
}

/** Only the mutable half of a storage root. Throws what `openIndex` throws. */
export async function openThreadStore(root: string): Promise<ThreadStore> {
  return (await openIndex(root)).threads;
}
