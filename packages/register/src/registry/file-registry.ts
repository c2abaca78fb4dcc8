import {
  err,
  type Failure,
  ok,
  type RegistryChange,
  type Result,
  type StoreKind,
  type WorkflowRegistry,
} from "@uncaged/workflow-protocol";
import type { Edited } from "./edit-registry.ts";
import type { SettingsChange } from "./edit-settings.ts";
import { readRegistry } from "./read-registry.ts";
import type { Exclusively, RegistryFile } from "./registry.ts";
import { staleVersion } from "./stale-version.ts";

/** `workflow.yaml`: the registry, and the configuration of this storage root, which has mode 0600 after each change. */
export type FileRegistry = WorkflowRegistry & {
  /** Changes the `config` part. */
  configure(change: SettingsChange): RegistryChange<unknown>;
  /** Sets where new blobs go. Runners that are already running continue as they began. */
  chooseStore(kind: StoreKind): RegistryChange<unknown>;
};

/** The registry of a storage root. `exclusively`: its lock; reading takes none. */
export function fileRegistry(at: { root: string; exclusively: Exclusively }): FileRegistry {
  return {
    async workflows() {
      const registry = await readRegistry(at.root);
      return registry.ok ? ok(registry.value.workflows) : registry;
    },
    register: (registration) =>
      changed(at, async () => {
        const { registerVersion } = await import("./edit-registry.ts");
        return (file) => {
          const stale = staleVersion(file.registry.workflows.get(registration.name), registration);
          return stale === null ? ok(registerVersion(file, registration)) : err(stale);
        };
      }),
    rollback: (request) =>
      changed(at, async () => {
        const { rollbackVersion } = await import("./edit-registry.ts");
        return (file) => rollbackVersion(file, request);
      }),
    remove: (name) =>
      changed(at, async () => {
        const { removeEntry } = await import("./edit-registry.ts");
        return (file) => removeEntry(file, name);
      }),
    configure: (change) =>
      changed(at, async () => {
        const { changeSettings } = await import("./edit-settings.ts");
        return (file) => ok(changeSettings(file, change));
      }),
    chooseStore: (kind) =>
      changed(at, async () => {
        const { setStoreKind } = await import("./edit-registry.ts");
        return (file) => ok(setStoreKind(file, kind));
      }),
  };
}

/** `load`: the edit, loaded only when there is one to make, because it brings the YAML parser. */
async function changed<T extends object>(
  at: { root: string; exclusively: Exclusively },
  load: () => Promise<(file: RegistryFile) => Result<Edited<T>, Failure>>,
): RegistryChange<T> {
  const { updateRegistry } = await import("./update-registry.ts");
  const updated = await updateRegistry({ ...at, change: await load() });
  return updated.ok ? ok({ ...updated.value.value, notes: updated.value.notes }) : updated;
}
