import { readFileSync } from "node:fs";

/** Version of this package, for the run record. Read when it is first needed: importing must do nothing. */
export function packageVersion(): string {
  version ??= readVersion();
  return version;
}

let version: string | undefined;

function readVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const manifest: unknown = JSON.parse(text);
  const isManifest = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return isManifest && typeof manifest.version === "string" ? manifest.version : "unknown";
}
