import { type FileRegistry, fileRegistry } from "@uncaged/workflow-register";
import { registryLock } from "@uncaged/workflow-store";
import { isShared } from "@uncaged/workflow-util";
import { sharedRegistry } from "../place/shared-registry.ts";

/** The registry of a storage root. */
export function openRegistry(root: string): FileRegistry {
  const local = fileRegistry({ root, exclusively: registryLock(root) });
  return isShared(root) ? { ...local, ...sharedRegistry(root) } : local;
}
