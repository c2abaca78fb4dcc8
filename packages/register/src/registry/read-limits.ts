import {
  type Failure,
  NO_LIMITS,
  ok,
  type Result,
  type RootLimits,
} from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { readSettings } from "./read-registry.ts";
import { loadRegistryText } from "./registry-text.ts";

/** What limits the threads of a storage root. Every start asks, so a text that cannot contain the key, written plainly
 *  or with an escape, is not parsed. */
export async function readLimits(root: string): Promise<Result<RootLimits, Failure>> {
  const loaded = loadRegistryText(storagePaths(root).registry);
  if (!loaded.ok) return loaded;
  const { text } = loaded.value;
  if (!text.includes("limits") && !text.includes("\\")) return ok(NO_LIMITS);
  const settings = await readSettings(root);
  return settings.ok ? ok(settings.value.limits) : settings;
}
