/** Waits until the index shows a thread in some state. Polls in this process: a polling command would load the
 *  machine as much as the runner that it waits for. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { leaseOf, type ThreadRecord } from "@uncaged/workflow-protocol";
import { openThreadStore } from "@uncaged/workflow-store";

const LOOK_EVERY_MS = 20;

/** For as long as the test may take. */
export async function untilThread(
  root: string,
  threadId: string,
  holds: (thread: ThreadRecord) => boolean,
): Promise<ThreadRecord> {
  return untilThreads(root, (threads) => {
    const thread = threads.find((each) => each.threadId === threadId);
    return thread !== undefined && holds(thread) ? thread : null;
  });
}

/** The first value other than null that `pick` returns for the list of all threads. */
export async function untilThreads<T>(
  root: string,
  pick: (threads: readonly ThreadRecord[]) => T | null,
): Promise<T> {
  const store = await openThreadStore(root);
  try {
    for (;;) {
      const found = pick(await store.list({}));
      if (found !== null) return found;
      await sleep(LOOK_EVERY_MS);
    }
  } finally {
    await store.close();
  }
}

/** The folder of a root can be copied once nobody has its index open: the last one to close it removes files, as a runner
 *  does after its thread has ended. */
export async function untilClosed(root: string): Promise<void> {
  while (existsSync(join(root, "index.db-wal"))) await sleep(LOOK_EVERY_MS);
}

export function rests({ status }: ThreadRecord): boolean {
  return status !== "running";
}

/** Process id of the thread's owner, as soon as it has one. */
export async function ownerOf(root: string, threadId: string): Promise<number> {
  const lease = leaseOf(await untilThread(root, threadId, (thread) => leaseOf(thread) !== null));
  return lease?.process.pid ?? 0;
}
