import { type FileRegistry, fileRegistry } from "@uncaged/workflow-register";
import { registryLock } from "@uncaged/workflow-store";

/** The registry of a storage root. */
export function openRegistry(root: string): FileRegistry {
  return fileRegistry({ root, exclusively: registryLock(root) });
}
