import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withHooks, withoutHooks } from "./hook-settings.ts";
import { readSettings, type SettingsScope, settingsPath, writeSettings } from "./settings-file.ts";

type Chosen = { scope: SettingsScope | null; file: string | null };

export function install(chosen: Chosen, io: Io): Promise<Result<Output, Failure>> {
  return edit(chosen, io, {
    change: withHooks,
    done: "hooks were installed in",
    idle: "hooks were already in",
  });
}

export function uninstall(chosen: Chosen, io: Io): Promise<Result<Output, Failure>> {
  return edit(chosen, io, {
    change: withoutHooks,
    done: "hooks were removed from",
    idle: "no hooks of ours in",
  });
}

async function edit(
  chosen: Chosen,
  io: Io,
  way: { change: typeof withHooks; done: string; idle: string },
): Promise<Result<Output, Failure>> {
  const file = settingsPath(chosen, io);
  const before = await readSettings(file);
  const after = way.change(before, file);
  if (!after.ok) return after;
  const changed = after.value !== before;
  if (changed) await writeSettings(file, after.value);
  return ok({
    document: { file, changed },
    human: () => `${changed ? way.done : way.idle} ${file}`,
  });
}
