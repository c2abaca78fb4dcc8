import type { BlobTable, ThreadStore } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { blobTable } from "./blob-table.ts";
import { commitQueue } from "./commit-queue.ts";
import { exclusiveSection } from "./exclusive-section.ts";
import { finishThread, moveHead } from "./head-moves.ts";
import { acquireLease, releaseLease, renewLease } from "./leases.ts";
import { withPatience } from "./patience.ts";
import { clearSignal, leaveSignal, waitingSignals } from "./signals.ts";
import { type LostIndex, openThreadIndex } from "./thread-index.ts";
import {
  adoptThreads,
  answerThread,
  createThread,
  raiseLimits,
  removeThread,
} from "./thread-lifecycle.ts";
import { getThread, listThreads, matchThreads, threadRoots } from "./thread-queries.ts";

/** The two things that one index holds. Closing the threads closes both. */
export type Index = { threads: ThreadStore; blobs: BlobTable };

/** Opens the index of a storage root, making it if the root is new. Throws `STORAGE_FAILED`, `STORAGE_DAMAGED`
 *  when the root has lost its index, or `STORAGE_NEWER` when a later version of this program wrote it.
 *
 *  SQLite is called synchronously: a change is one flush, which a thread pool would only delay. */
export async function openIndex(root: string, lost: LostIndex = "refused"): Promise<Index> {
  const { registryLock } = storagePaths(root);
  const index = await openThreadIndex(root, lost);
  const sections = exclusiveSection(registryLock);
  const commit = commitQueue(index);
  const threads: ThreadStore = {
    create: (thread, startKey) => withPatience(() => createThread(index, thread, startKey)),
    adopt: (threads) => withPatience(() => adoptThreads(index, threads)),
    get: (threadId) => withPatience(() => getThread(index, threadId)),
    match: (part, limit) => withPatience(() => matchThreads(index, part, limit)),
    list: (filter) => withPatience(() => listThreads(index, filter)),
    roots: () => withPatience(() => threadRoots(index)),
    acquire: (request) => withPatience(() => acquireLease(index, request)),
    renew: (request) => withPatience(() => renewLease(index, request)),
    signals: (threadId) => withPatience(() => waitingSignals(index, threadId)),
    advance: (move) =>
      commit(`publish a step of thread ${move.threadId}`, () => moveHead(index, move)),
    finish: (finish) => withPatience(() => finishThread(index, finish)),
    release: (request) => withPatience(() => releaseLease(index, request)),
    signal: (threadId, kind, nowMs) =>
      withPatience(() => leaveSignal(index, threadId, { kind, nowMs })),
    clearSignal: (threadId, kind) => withPatience(() => clearSignal(index, threadId, kind)),
    answer: (answer) => withPatience(() => answerThread(index, answer)),
    raise: (request) => withPatience(() => raiseLimits(index, request)),
    remove: (threadId, replaces) => withPatience(() => removeThread(index, threadId, replaces)),
    exclusively: (section) => sections.run(section),
    close: async () => {
      await sections.close();
      index.close();
    },
  };
  return { threads, blobs: blobTable(index, commit) };
}

/** The mutable half of a storage root alone. Throws what `openIndex` throws. */
export async function openThreadStore(root: string): Promise<ThreadStore> {
  return (await openIndex(root)).threads;
}
