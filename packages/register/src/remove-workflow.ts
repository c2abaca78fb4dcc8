import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Exclusively, RegistryEntry } from "./registry/registry.ts";

export type RemoveWorkflow = { root: string; exclusively: Exclusively; name: string };

/** Forgets a name. Its bundles stay: threads started with them continue. Returns the removed entry. */
export async function removeWorkflow(
  remove: RemoveWorkflow,
): Promise<Result<{ name: string; entry: RegistryEntry; notes: string[] }, Failure>> {
  const { root, exclusively, name } = remove;
  const { removeEntry } = await import("./registry/edit-registry.ts");
  const { updateRegistry } = await import("./registry/update-registry.ts");
  const updated = await updateRegistry({
    root,
    exclusively,
    change: (file) => removeEntry(file, name),
  });
  return updated.ok
    ? ok({ name, entry: updated.value.value, notes: updated.value.notes })
    : updated;
}
