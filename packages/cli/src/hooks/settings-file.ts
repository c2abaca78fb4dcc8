import { mkdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { readRegularFile, writeFileAtomic } from "@uncaged/workflow-util";
import type { Io } from "../command/io.ts";
import { usageError } from "../command/options.ts";

/** Claude Code's own scopes: the user, the project for everybody, the project for this user. */
export type SettingsScope = "user" | "project" | "local";

/** The chosen settings file; absolute. */
export function settingsPath(
  chosen: { scope: SettingsScope | null; file: string | null },
  { env, cwd }: Pick<Io, "env" | "cwd">,
): string {
  if (chosen.file !== null) {
    if (chosen.scope !== null) throw usageError("--scope and --file cannot be combined");
    return resolve(cwd, chosen.file);
  }
  switch (chosen.scope ?? "user") {
    case "user":
      return join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude"), "settings.json");
    case "project":
      return join(cwd, ".claude", "settings.json");
    case "local":
      return join(cwd, ".claude", "settings.local.json");
  }
}

const MAX_SETTINGS_BYTES = 64 * 1024 * 1024;

/** Empty when there is no such file. Throws `FILE_NOT_FOUND` when it cannot be read. */
export async function readSettings(path: string): Promise<string> {
  const read = await readRegularFile(path, MAX_SETTINGS_BYTES);
  if (read.ok) return read.value.toString("utf8");
  if (read.error.absent) return "";
  throw new WorkflowError(failure("FILE_NOT_FOUND", `${path} ${read.error.problem}`, ""));
}

/** All or nothing, keeping the file's permissions. */
export async function writeSettings(path: string, data: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const mode = await stat(path).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  await writeFileAtomic({ path, data, mode, existing: "replace" });
}
