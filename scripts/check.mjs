/** Every check that is not a test, side by side: `node scripts/check.mjs [name …]`.
 *  A check that passes is one line; one that fails prints what it said. Exit code 1 if any failed.
 *  (The compiler has already run: the `check` task of dev.mjs builds first.) */
import { fileURLToPath } from "node:url";
import { floorProblems } from "./check/floors.mjs";
import { folderProblems } from "./check/folders.mjs";
import { pageSizeProblems } from "./check/page-size.mjs";
import { captured } from "./dev/captured.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Each returns `{ ok, output }`. The slowest stands first, so that it starts first. */
const CHECKS = {
  packages: () => program("node", ["scripts/check/packages.mjs"]),
  knip: () => program("knip", ["--treat-config-hints-as-errors"]),
  biome: () => program("biome", ["ci", "--error-on-warnings", "--colors=off"]),
  boundaries: () => program("turbo", ["boundaries"]),
  sherif: () => program("sherif", ["--fail-on-warnings"]),
  floors: async () => listed(floorProblems(root)),
  folders: async () => listed(folderProblems(root)),
  page: async () => listed(pageSizeProblems(`${root}packages/gateway/dist/page`)),
};

const listed = (problems) => ({ ok: problems.length === 0, output: problems.join("\n") });

const program = (command, args) => captured({ command, args, cwd: root });

async function main(names) {
  const wanted = names.length === 0 ? Object.keys(CHECKS) : names;
  const unknown = wanted.filter((name) => !Object.hasOwn(CHECKS, name));
  if (unknown.length > 0) {
    console.error(
      `no such check: ${unknown.join(", ")} (there are ${Object.keys(CHECKS).join(", ")})`,
    );
    return 2;
  }
  const results = await Promise.all(wanted.map(report));
  return results.every((ok) => ok) ? 0 : 1;
}

async function report(name) {
  const startedMs = performance.now();
  const { ok, output } = await CHECKS[name]();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${ok ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
  if (!ok) console.log(`${output.trimEnd()}\n`);
  return ok;
}

process.exitCode = await main(process.argv.slice(2));
