import { readFileSync } from "node:fs";

/** Version of this package, from its manifest. */
export function cliVersion(): string {
  const manifest: { version?: unknown } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return typeof manifest.version === "string" ? manifest.version : "unknown";
}
