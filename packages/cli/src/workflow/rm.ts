import {
  type Failure,
  isFinal,
  ok,
  type Result,
  type ThreadStore,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import { count } from "../command/count.ts";
import type { Io } from "../command/io.ts";
import { warn } from "../command/warn.ts";
import { withRegistry } from "../command/with-registry.ts";

/** Forgets a name, and reports which threads still need its bundles. */
export async function remove(name: string, io: Io): Promise<Result<Output, Failure>> {
  return withRegistry(io, async ({ registry, store }) => {
    const removed = await registry.remove(name);
    if (!removed.ok) return removed;
    await warn(io, removed.value.notes);
    const unfinishedThreads = await unfinished(store, name);
    return ok({
      document: { name, hash: removed.value.entry.hash, removed: true, unfinishedThreads },
      human: ({ bold }) => `${bold(name)} is removed${whoGoesOn(unfinishedThreads.length)}`,
    });
  });
}

async function unfinished(store: ThreadStore, workflow: string): Promise<string[]> {
  const threads = await store.list({ workflow });
  return threads.filter(({ status }) => !isFinal(status)).map(({ threadId }) => threadId);
}

function whoGoesOn(threads: number): string {
  if (threads === 0) return "";
  return `; ${count(threads, "unfinished thread")} of it can still continue with the version it was started with`;
}
