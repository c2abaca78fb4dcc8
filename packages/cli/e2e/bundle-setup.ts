import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const scripts = ["bundle-cli.mjs", "carry-packages.mjs"].map((name) =>
  fileURLToPath(new URL(`../../../scripts/${name}`, import.meta.url)),
);

/** The command line is tested as a clone has it: bundled, from what the compiler wrote last, with all packages packed. */
export async function setup(): Promise<void> {
  for (const script of scripts) await promisify(execFile)(process.execPath, [script]);
}
