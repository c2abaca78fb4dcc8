import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { parseSettings } from "./parse-settings.ts";
import type { Registry, Settings } from "./registry.ts";
import { loadRegistryText } from "./registry-text.ts";

/** What is registered in a storage root, and its configuration. A missing file is an empty registry. */
export async function readRegistry(root: string): Promise<Result<Registry, Failure>> {
  const path = storagePaths(root).registry;
  const loaded = loadRegistryText(path);
  if (!loaded.ok) return loaded;
  // Loading the YAML parser takes longer than starting Node: only readers of the registry pay for it.
  const { parseRegistry } = await import("./parse-registry.ts");
  const file = parseRegistry(loaded.value.text, path);
  return file.ok ? ok(file.value.registry) : file;
}

/** Only the configuration. A file that does not mention it is not parsed, because a runner asks for this for every
 *  thread. */
export async function readSettings(root: string): Promise<Result<Settings, Failure>> {
  const loaded = loadRegistryText(storagePaths(root).registry);
  if (!loaded.ok) return loaded;
  if (!loaded.value.text.includes("config")) return ok(parseSettings(undefined));
  const registry = await readRegistry(root);
  return registry.ok ? ok(registry.value.settings) : registry;
}
