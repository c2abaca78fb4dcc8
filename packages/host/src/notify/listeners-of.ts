import { statSync } from "node:fs";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { type ListenerSettings, readSettings } from "@uncaged/workflow-register";
import { storagePaths } from "@uncaged/workflow-util";

export type Listeners = ReadonlyMap<string, ListenerSettings>;

/** Returns the configured listeners. Reads the file only when it changed: the host asks often. */
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

/** Each of our own changes replaces `workflow.yaml` with a new file. */
function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.mtimeMs} ${found.size}`;
}
