import { statSync } from "node:fs";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { type ListenerSettings, readSettings } from "@uncaged/workflow-register";
import { storagePaths } from "@uncaged/workflow-util";

export type Listeners = ReadonlyMap<string, ListenerSettings>;

/** Reads who is configured as a listener; the file only when it has changed, because the host asks every few seconds. */
export function listenersOf(root: string): () => Promise<Result<Listeners, Failure>> {
  let read: { version: string; listeners: Result<Listeners, Failure> } | null = null;
  return async () => {
    const version = versionOf(storagePaths(root).registry);
    if (read?.version === version) return read.listeners;
    const settings = await readSettings(root);
    const listeners = settings.ok ? ok(settings.value.notify) : settings;
    read = { version, listeners };
    return listeners;
  };
}

/** Every change of `workflow.yaml` by us makes a new file. */
function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.mtimeMs} ${found.size}`;
}
