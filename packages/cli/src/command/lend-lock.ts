/** Provides what a command needs to change the registry: the storage root and its lock. */
import type { ThreadStore } from "@uncaged/workflow-protocol";
import type { Exclusively } from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Io } from "./io.ts";

export type Writable = { root: string; exclusively: Exclusively; store: ThreadStore };

export async function withLock<T>(
  io: Pick<Io, "env">,
  use: (at: Writable) => Promise<T>,
): Promise<T> {
  const { openThreadStore, registryLock } = await import("@uncaged/workflow-store");
  const root = storageRoot(io.env);
  const store = await openThreadStore(root);
  try {
    return await use({ root, store, exclusively: registryLock(root) });
  } finally {
    await store.close();
  }
}
