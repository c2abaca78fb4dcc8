import { readFileSync } from "node:fs";

/** The version that a `package.json` says, for the run record; `unknown` when it says none. Call it when it is needed,
 *  not before: importing an adapter must do nothing. */
export function versionIn(manifestUrl: URL): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestUrl, "utf8"));
  const isManifest = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return isManifest && typeof manifest.version === "string" ? manifest.version : "unknown";
}
