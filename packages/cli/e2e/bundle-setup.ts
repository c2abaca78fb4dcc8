import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const script = fileURLToPath(new URL("../../../scripts/bundle-cli.mjs", import.meta.url));

/** The command line is tested as it is published: bundled, from what the compiler wrote last. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [script]);
}
