import { readFileSync } from "node:fs";

/** The version of a package, for the run record; `unknown` when its manifest has none. `moduleUrl`: `import.meta.url`
 *  of a module directly in the package's `src` or `dist`. To be called only when needed: importing an adapter must
 *  have no effects. */
export function versionOf(moduleUrl: string): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", moduleUrl), "utf8"));
  const isManifest = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return isManifest && typeof manifest.version === "string" ? manifest.version : "unknown";
}
