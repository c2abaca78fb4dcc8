/** The only writer of `workflow.yaml`.
 *
 *  1. Every update reads the file inside the lock, so two processes never lose each other's changes.
 *  2. The file is replaced as a whole and flushed: a crash leaves the old one or the new one.
 *  3. It contains keys, so it is written with mode 0600, whatever its mode was. */
import { mkdirSync } from "node:fs";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { storagePaths, writeFileAtomicSync } from "@uncaged/workflow-util";
import type { Edited } from "./edit-registry.ts";
import { parseRegistry } from "./parse-registry.ts";
import type { Exclusively, RegistryFile } from "./registry.ts";
import { loadRegistryText } from "./registry-text.ts";

const OWNER_ONLY = 0o600;
const TRIES = 5;

export type RegistryUpdate<T> = {
  root: string;
  exclusively: Exclusively;
  /** Pure; may be called more than once. */
  change: (file: RegistryFile) => Result<Edited<T>, Failure>;
};

/** Returns the result of the change, and notes for the person about what else was done to the file. */
export async function updateRegistry<T>(
  update: RegistryUpdate<T>,
): Promise<Result<{ value: T; notes: string[] }, Failure>> {
  const path = storagePaths(update.root).registry;
  try {
    mkdirSync(update.root, { recursive: true, mode: 0o700 });
    return await update.exclusively(() => underLock(path, update.change));
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

function underLock<T>(
  path: string,
  change: RegistryUpdate<T>["change"],
): Result<{ value: T; notes: string[] }, Failure> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = loadRegistryText(path);
    if (!before.ok) return before;
    const file = parseRegistry(before.value.text, path);
    if (!file.ok) return file;
    const edited = change(file.value);
    if (!edited.ok) return edited;
    if (edited.value.file === file.value) return ok({ value: edited.value.value, notes: [] });
    // An editor does not use our lock. What it saved since we read is kept, by starting over;
    // only a save in the microseconds between this check and the rename can still be lost.
    const now = loadRegistryText(path);
    if (!now.ok || now.value.text !== before.value.text) continue;
    writeFileAtomicSync({
      path,
      data: edited.value.file.text,
      mode: OWNER_ONLY,
      existing: "replace",
    });
    return ok({ value: edited.value.value, notes: modeNotes(path, before.value.mode) });
  }
  return err(
    failure(
      "REGISTRY_BUSY",
      `${path} keeps being changed by another program`,
      "close it there, then try again",
    ),
  );
}

function modeNotes(path: string, mode: number | null): string[] {
  if (mode === null || (mode & 0o077) === 0) return [];
  return [`${path} could be read by others (mode 0${mode.toString(8)}); it has mode 0600 now`];
}
