/** Plays seeds: `node --import ./parts/hooks.mjs simulate.mjs [--seeds n] [--seed s]`. One seed is told step by
 *  step; of several, the first that fails is. Exits 1 when one fails. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openEngine } from "@uncaged/workflow-execute";
import { checkPattern, checkRule, checkTemplate } from "@uncaged/workflow-moderator";
import { addWorkflow, buildBundle } from "@uncaged/workflow-register";
import { play } from "./parts/play.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "300" },
    seed: { type: "string" },
    from: { type: "string", default: "1" },
  },
});

/** The registry and the bundle, on the real disk: they are not what is simulated. */
async function setUp(folder) {
  const root = join(folder, "root");
  const packagesBase = import.meta.resolve("@uncaged/cli-workflow/package.json");
  const engine = await openEngine({ root, packagesBase });
  const bases = { root, packagesBase, checkRule, checkTemplate, checkPattern };
  const entry = fileURLToPath(new URL("./workflow/scripted.mjs", import.meta.url));
  const built = successOf(
    await buildBundle({ ...bases, entry, out: join(folder, "scripted.esm.js"), cwd: folder }),
  );
  const added = successOf(
    await addWorkflow({
      ...bases,
      name: "scripted",
      file: built.file,
      types: null,
      registry: engine.registry,
      nowMs: Date.now(),
    }),
  );
  await engine.store.close();
  return { root, packagesBase, bundleHash: added.hash, registry: engine.registry };
}

function successOf(result) {
  if (result.ok) return result.value;
  throw new Error(`${result.error.code}: ${result.error.message}`);
}

async function main(base) {
  const first = Number(values.seed ?? values.from);
  const count = values.seed === undefined ? Number(values.seeds) : 1;
  if (!Number.isSafeInteger(first) || !(count > 0))
    throw new Error("--seeds and --seed are numbers");
  const sums = { cuts: 0, operations: 0 };
  for (let seed = first; seed < first + count; seed++) {
    const { problems, log, cuts, operations } = await play(seed, base);
    sums.cuts += cuts;
    sums.operations += operations;
    if (values.seed !== undefined) console.log(log.join("\n"));
    if (problems.length === 0) continue;
    console.error(`seed ${seed} fell short; again with: npm run simulate -- --seed ${seed}`);
    for (const line of [...log, ...problems]) console.error(`  ${line}`);
    return 1;
  }
  console.log(
    `${count} seeds, ${sums.cuts} power cuts in ${sums.operations} operations: nothing was lost`,
  );
  return 0;
}

const folder = mkdtempSync(join(tmpdir(), "uwf-simulation-"));
try {
  process.exitCode = await main(await setUp(folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
