import type { StoreKind } from "@uncaged/workflow-protocol";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { readSettings } from "./read-registry.ts";
import { loadRegistryText } from "./registry-text.ts";

/** Where a storage root keeps new blobs. Every command asks, and loading the YAML parser takes longer than starting
 *  Node: a text that cannot contain the key, written plainly or with an escape, is not parsed. */
export async function readStoreKind(root: string): Promise<Result<StoreKind, Failure>> {
  const loaded = loadRegistryText(storagePaths(root).registry);
  if (!loaded.ok) return loaded;
  const { text } = loaded.value;
  if (!text.includes("store") && !text.includes("\\")) return ok("files");
  const settings = await readSettings(root);
  return settings.ok ? ok(settings.value.store) : settings;
}
