import type { WorkflowRegistry } from "@uncaged/workflow-protocol";
import { type FileRegistry, fileRegistry } from "@uncaged/workflow-register";
import { isShared } from "@uncaged/workflow-util";

/** The registry of a storage root, for commands that need no engine. */
export function openRegistry(root: string): FileRegistry {
  const local = fileRegistry({
    root,
    exclusively: async (section) => {
      // Loaded when needed: reading takes no lock.
      const { registryLock } = await import("@uncaged/workflow-store");
      return registryLock(root)(section);
    },
  });
  return isShared(root) ? { ...local, ...elsewhere(root) } : local;
}

/** Loaded when it is used: it brings what talks to the server. */
function elsewhere(root: string): WorkflowRegistry {
  const use = async (): Promise<WorkflowRegistry> =>
    (await import("./root-parts.ts")).sharedRegistry(root);
  return {
    workflows: async () => (await use()).workflows(),
    register: async (registration) => (await use()).register(registration),
    rollback: async (request) => (await use()).rollback(request),
    remove: async (name) => (await use()).remove(name),
  };
}
