import type { StoreKind } from "@uncaged/workflow-protocol";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Exclusively } from "./registry/registry.ts";

/** Sets in `workflow.yaml` where new blobs go. Runners that are already running continue as they began. */
export async function chooseStore(choice: {
  root: string;
  exclusively: Exclusively;
  kind: StoreKind;
}): Promise<Result<{ notes: string[] }, Failure>> {
  const { setStoreKind } = await import("./registry/edit-registry.ts");
  const { updateRegistry } = await import("./registry/update-registry.ts");
  const updated = await updateRegistry({
    root: choice.root,
    exclusively: choice.exclusively,
    change: (file) => ok(setStoreKind(file, choice.kind)),
  });
  return updated.ok ? ok({ notes: updated.value.notes }) : updated;
}
