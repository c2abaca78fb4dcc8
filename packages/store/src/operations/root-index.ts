import type {
  BlobTable,
  Dispatch,
  ThreadHistory,
  ThreadStore,
  Workers,
} from "@uncaged/workflow-protocol";
import { answerAsk, askAnswer, openAsk, openAsks, withdrawAsk } from "./asks.ts";
import { blobTable } from "./blob-table.ts";
import { finishThread, publishMove } from "./head-moves.ts";
import { hold, readHolds } from "./holds.ts";
import { acquireLease, granted, releaseLease, renewLeases } from "./leases.ts";
import { closeQueue, openQueue, readClosedSince, readRootLimits, setLimits } from "./limits.ts";
import { askedMembers, askMembers, closeAsks } from "./member-asks.ts";
import { listNotices, putOffNotice, setListeners, settleNotice } from "./notices.ts";
import type { Perform } from "./operation.ts";
import { nextThreads, queuedThreads, unwantThread, wantThread } from "./queue.ts";
import { askBudget, freeOfAgent, lendRoom, takeForAgent, takeRoomBack } from "./room.ts";
import { beginCall, endCall, noteCall, shareBudget } from "./shared-budget.ts";
import { allSignals, clearSignal, leaveSignal } from "./signals.ts";
import { spentSums } from "./spent.ts";
import {
  adoptThreads,
  answerThread,
  createThread,
  forgetThreads,
  labelThread,
  raiseLimits,
  removeThread,
} from "./thread-lifecycle.ts";
import {
  listThreads,
  matchThreads,
  readStartedWith,
  readThread,
  threadRoots,
} from "./thread-queries.ts";
import { beatOfWorker, drainWorker, listWorkers, removeWorker } from "./workers.ts";

/** What is in one index. Closing the threads closes all of it. */
export type Index = {
  threads: ThreadStore;
  blobs: BlobTable;
  dispatch: Dispatch;
  workers: Workers;
};

/** What an index needs of its database. */
export type Backend = {
  perform: Perform;
  /** Carries out what many threads change at every step, possibly together. */
  commit: Perform;
  history: () => Promise<ThreadHistory>;
  shrink: () => Promise<void>;
  close: () => Promise<void>;
};

export function rootIndex({ perform, commit, history, shrink, close }: Backend): Index {
  const threads: ThreadStore = {
    create: (thread, startKey) => perform(createThread(thread, startKey)),
    adopt: (threads) => perform(adoptThreads(threads)),
    get: (threadId) => perform(readThread(threadId)),
    startedWith: (startKey) => perform(readStartedWith(startKey)),
    match: (part, limit) => perform(matchThreads(part, limit)),
    list: (filter) => perform(listThreads(filter)),
    spent: (query) => perform(spentSums(query)),
    roots: () => perform(threadRoots()),
    acquire: async (request) => granted(request.threadId, await perform(acquireLease(request))),
    renew: (request) => perform(renewLeases(request)),
    signals: (threadIds) => perform(allSignals(threadIds)),
    advance: (move) => commit(publishMove(move)),
    finish: (finish) => perform(finishThread(finish)),
    release: (request) => perform(releaseLease(request)),
    signal: (threadId, kind, nowMs) => perform(leaveSignal(threadId, { kind, nowMs })),
    clearSignal: (threadId, kind) => perform(clearSignal(threadId, kind)),
    answer: (answer) => perform(answerThread(answer)),
    raise: (request) => perform(raiseLimits(request)),
    label: (request) => perform(labelThread(request)),
    ask: (request) => perform(openAsk(request)),
    askMembers: (request) => perform(askMembers(request)),
    askedMembers: (filter) => perform(askedMembers(filter)),
    closeAsks: (request) => perform(closeAsks(request)),
    asks: (filter) => perform(openAsks(filter)),
    answerAsk: (request) => perform(answerAsk(request)),
    askAnswer: (request) => perform(askAnswer(request)),
    withdrawAsk: (request) => perform(withdrawAsk(request)),
    listen: (listeners) => perform(setListeners(listeners)),
    notices: (filter) => perform(listNotices(filter)),
    settleNotice: (request) => perform(settleNotice(request)),
    putOffNotice: (request) => perform(putOffNotice(request)),
    remove: (request) => perform(removeThread(request)),
    history,
    forget: (request) => perform(forgetThreads(request)),
    close,
  };
  const dispatch: Dispatch = {
    want: (job) => perform(wantThread(job)),
    unwant: (threadId, nowMs) => perform(unwantThread(threadId, nowMs)),
    list: () => perform(queuedThreads()),
    next: (request) => perform(nextThreads(request)),
    limit: (limits) => perform(setLimits(limits)),
    limits: () => perform(readRootLimits()),
    pause: (nowMs) => perform(closeQueue(nowMs)),
    resume: () => perform(openQueue()),
    pausedSince: () => perform(readClosedSince()),
    lend: (owner) => perform(lendRoom(owner)),
    takeBack: (owner) => perform(takeRoomBack(owner)),
    take: (request) => perform(takeForAgent(request)),
    free: (request) => perform(freeOfAgent(request)),
    hold: (request) => perform(hold(request)),
    holds: (nowMs) => perform(readHolds(nowMs)),
    budget: (nowMs) => perform(askBudget(nowMs)),
    shareBudget: (request) => perform(shareBudget(request)),
    beginCall: (call) => perform(beginCall(call)),
    noteCall: (call) => perform(noteCall(call)),
    endCall: (call) => perform(endCall(call)),
  };
  const workers: Workers = {
    beat: (worker) => perform(beatOfWorker(worker)),
    list: (nowMs) => perform(listWorkers(nowMs)),
    drain: (request) => perform(drainWorker(request)),
    remove: (worker) => perform(removeWorker(worker)),
  };
  return { threads, blobs: blobTable({ perform, commit, shrink }), dispatch, workers };
}
