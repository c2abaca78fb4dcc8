import type { ThreadStore } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { exclusiveSection } from "./exclusive-section.ts";
import { advanceHead, finishThread } from "./head-moves.ts";
import { acquireLease, releaseLease, renewLease } from "./leases.ts";
import { clearSignal, leaveSignal, waitingSignals } from "./signals.ts";
import { openThreadIndex } from "./thread-index.ts";
import { createThread, removeThread, setStatus } from "./thread-lifecycle.ts";
import { getThread, listThreads, matchThreads, threadRoots } from "./thread-queries.ts";

/** Opens the mutable half of a storage root, making it if it is not there. Throws `STORAGE_FAILED`,
 *  or `STORAGE_NEWER` when a later version of this program wrote it.
 *
 *  SQLite is called synchronously: a change is one flush, which a thread pool would only delay. A
 *  call that meets another process's transaction waits up to five seconds for it. */
export async function openThreadStore(root: string): Promise<ThreadStore> {
  const { index: file, registryLock } = storagePaths(root);
  const index = await openThreadIndex(file);
  const sections = exclusiveSection(registryLock);
  return {
    create: async (thread, startKey) => createThread(index, thread, startKey),
    get: async (threadId) => getThread(index, threadId),
    match: async (part, limit) => matchThreads(index, part, limit),
    list: async (filter) => listThreads(index, filter),
    roots: async () => threadRoots(index),
    acquire: async (request) => acquireLease(index, request),
    renew: async (request) => renewLease(index, request),
    signals: async (threadId) => waitingSignals(index, threadId),
    advance: async (move) => advanceHead(index, move),
    finish: async (finish) => finishThread(index, finish),
    release: async (request) => releaseLease(index, request),
    signal: async (threadId, kind, nowMs) => leaveSignal(index, threadId, { kind, nowMs }),
    clearSignal: async (threadId, kind) => clearSignal(index, threadId, kind),
    setStatus: async (change) => setStatus(index, change),
    remove: async (threadId, replaces) => removeThread(index, threadId, replaces),
    exclusively: (section) => sections.run(section),
    close: async () => {
      await sections.close();
      index.close();
    },
  };
}
