import type { ThreadStore } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { exclusiveSection } from "./exclusive-section.ts";
import { advanceHead, finishThread } from "./head-moves.ts";
import { acquireLease, releaseLease, renewLease } from "./leases.ts";
import { withPatience } from "./patience.ts";
import { clearSignal, leaveSignal, waitingSignals } from "./signals.ts";
import { openThreadIndex } from "./thread-index.ts";
import { adoptThreads, answerThread, createThread, removeThread } from "./thread-lifecycle.ts";
import { getThread, listThreads, matchThreads, threadRoots } from "./thread-queries.ts";

/** Opens the mutable half of a storage root, making it if it is not there. Throws `STORAGE_FAILED`,
 *  or `STORAGE_NEWER` when a later version of this program wrote it.
 *
 *  SQLite is called synchronously: a change is one flush, which a thread pool would only delay. */
export async function openThreadStore(root: string): Promise<ThreadStore> {
  const { index: file, registryLock } = storagePaths(root);
  const index = await openThreadIndex(file);
  const sections = exclusiveSection(registryLock);
  return {
    create: (thread, startKey) => withPatience(() => createThread(index, thread, startKey)),
    adopt: (threads) => withPatience(() => adoptThreads(index, threads)),
    get: (threadId) => withPatience(() => getThread(index, threadId)),
    match: (part, limit) => withPatience(() => matchThreads(index, part, limit)),
    list: (filter) => withPatience(() => listThreads(index, filter)),
    roots: () => withPatience(() => threadRoots(index)),
    acquire: (request) => withPatience(() => acquireLease(index, request)),
    renew: (request) => withPatience(() => renewLease(index, request)),
    signals: (threadId) => withPatience(() => waitingSignals(index, threadId)),
    advance: (move) => withPatience(() => advanceHead(index, move)),
    finish: (finish) => withPatience(() => finishThread(index, finish)),
    release: (request) => withPatience(() => releaseLease(index, request)),
    signal: (threadId, kind, nowMs) =>
      withPatience(() => leaveSignal(index, threadId, { kind, nowMs })),
    clearSignal: (threadId, kind) => withPatience(() => clearSignal(index, threadId, kind)),
    answer: (answer) => withPatience(() => answerThread(index, answer)),
    remove: (threadId, replaces) => withPatience(() => removeThread(index, threadId, replaces)),
    exclusively: (section) => sections.run(section),
    close: async () => {
      await sections.close();
      index.close();
    },
  };
}
