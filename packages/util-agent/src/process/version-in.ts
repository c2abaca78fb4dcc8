import { readFileSync } from "node:fs";

/** The version in a `package.json`, for the run record; `unknown` when there is none. To be called only when needed:
 *  importing an adapter must have no effects. */
export function versionIn(manifestUrl: URL): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestUrl, "utf8"));
  const isManifest = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return isManifest && typeof manifest.version === "string" ? manifest.version : "unknown";
}
