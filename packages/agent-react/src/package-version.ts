import { versionIn } from "@uncaged/workflow-util-agent";

/** Version of this package, for the run record. */
export function packageVersion(): string {
  return versionIn(new URL("../package.json", import.meta.url));
}
