import { type FileRegistry, fileRegistry } from "@uncaged/workflow-register";

/** The registry of a storage root, for commands that need no engine. */
export function openRegistry(root: string): FileRegistry {
  return fileRegistry({
    root,
    exclusively: async (section) => {
      // Loaded when needed: reading takes no lock.
      const { registryLock } = await import("@uncaged/workflow-store");
      return registryLock(root)(section);
    },
  });
}
