import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { type MadeSteps, openCli } from "./cli.test.helper.ts";

const scripts = ["bundle-cli.mjs", "carry-packages.mjs"].map((name) =>
  fileURLToPath(new URL(`../../../scripts/${name}`, import.meta.url)),
);

declare module "vitest" {
  interface ProvidedContext {
    madeSteps: MadeSteps;
  }
}

/** Tests run the command line as in a clone: bundled from the last compilation, with all packages packed. `npm test` and
 *  the like have just done that.
 *  The workflow that most tests begin with is built and registered once by that command, and copied. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.env.UNCAGED_TEST_BUILT !== "1")
    for (const script of scripts) await promisify(execFile)(process.execPath, [script]);
  const cli = openCli({ madeSteps: null });
  const added = await cli.addSteps("steps");
  project.provide("madeSteps", { dir: cli.dir, root: cli.root, added });
  return () => cli.close();
}
