/** Provides what a command needs to change the registry. */
import type { ThreadStore } from "@uncaged/workflow-protocol";
import type { FileRegistry } from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Io } from "./io.ts";
import { openRegistry } from "./open-registry.ts";

export type Writable = { root: string; registry: FileRegistry; store: ThreadStore };

/** The index is made first where there is none: a root that has bundles and no index is a damaged one. */
export async function withRegistry<T>(
  io: Pick<Io, "env">,
  use: (at: Writable) => Promise<T>,
): Promise<T> {
  const { openThreads } = await import("./root-parts.ts");
  const root = storageRoot(io.env);
  const store = await openThreads(root);
  try {
    return await use({ root, store, registry: openRegistry(root) });
  } finally {
    await store.close();
  }
}
