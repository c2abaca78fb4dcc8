import type { Failure, Result } from "@uncaged/workflow-protocol";
import type { SettingsChange } from "./registry/edit-settings.ts";
import type { Exclusively } from "./registry/registry.ts";

export type ChangeConfiguration = {
  root: string;
  exclusively: Exclusively;
  change: SettingsChange;
};

/** Changes the `config` part of `workflow.yaml`, which has mode 0600 afterwards. Returns notes for the person. */
export async function changeConfiguration({
  root,
  exclusively,
  change,
}: ChangeConfiguration): Promise<Result<{ notes: string[] }, Failure>> {
  const { changeSettings } = await import("./registry/edit-settings.ts");
  const { updateRegistry } = await import("./registry/update-registry.ts");
  return updateRegistry({
    root,
    exclusively,
    change: (file) => ({ ok: true, value: changeSettings(file, change) }),
  });
}
