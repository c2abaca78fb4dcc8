/** Storage roots to break: each case gets a fresh copy of one in which workflows are registered. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openEngine, startThread } from "@uncaged/workflow-execute";
import { checkRule } from "@uncaged/workflow-moderator";
import { addWorkflow, buildBundle } from "@uncaged/workflow-register";
import { PACKAGES_BASE } from "./command.mjs";

export const STORES = ["files", "packed"];
const REGISTERED = ["steps", "hand", "nested"];
/** Built, for cases that add it. */
const SPARE = ["pingpong"];

/** Builds the workflows and makes one root for each store, `<folder>/template-<store>`. Returns the files of
 *  the bundles by name. */
export async function makeTemplates(folder) {
  const built = {};
  for (const name of [...REGISTERED, ...SPARE]) built[name] = (await buildOne(folder, name)).file;
  for (const store of STORES) {
    const root = join(folder, `template-${store}`);
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "workflow.yaml"), `config:\n  store: ${store}\n`, { mode: 0o600 });
    await withEngine(root, async (engine) => {
      for (const name of REGISTERED) await register(engine, name, built[name]);
    });
  }
  return built;
}

async function buildOne(folder, name) {
  const entry = fileURLToPath(new URL(`../workflow/${name}.mjs`, import.meta.url));
  const out = join(folder, "bundles", `${name}.esm.js`);
  const bases = { root: folder, packagesBase: PACKAGES_BASE, checkRule };
  return successOf(await buildBundle({ ...bases, entry, out, cwd: folder }));
}

export async function register(engine, name, file) {
  successOf(
    await addWorkflow({
      root: engine.root,
      packagesBase: PACKAGES_BASE,
      checkRule,
      name,
      file,
      types: null,
      registry: engine.registry,
      nowMs: engine.now(),
    }),
  );
}

/** Places that no case uses now. */
const vacant = [];
let places = 0;

/** Lends a fresh root and working directory to one case; what it leaves there is gone when it is done. Places are
 *  used again, since each new path of a bundle is another module that this process would keep for ever. */
export async function withScene({ folder, store }, use) {
  const place = vacant.pop() ?? places++;
  const dir = join(folder, "places", String(place));
  const scene = { dir, root: join(dir, "root"), work: join(dir, "work"), store };
  mkdirSync(scene.work, { recursive: true });
  cpSync(join(folder, `template-${store}`), scene.root, { recursive: true });
  try {
    return await use(scene);
  } finally {
    rmSync(dir, { recursive: true, force: true });
    vacant.push(place);
  }
}

/** Opens the engine of a root in this process, and closes it again. */
export async function withEngine(root, use) {
  const engine = await openEngine({ root, packagesBase: PACKAGES_BASE });
  try {
    return await use(engine);
  } finally {
    await engine.store.close();
  }
}

/** A thread that waits for its first step. `prompt` is stringified. Returns its id. */
export async function idleThread(engine, { work, workflow, prompt, limits = null }) {
  const start = { workflow, prompt: JSON.stringify(prompt), cwd: work, startKey: null, limits };
  return successOf(await startThread(engine, { ...start, run: "idle" })).threadId;
}

/** Numbers of the steps that began in a working directory, in order; 0 is the checker. */
export function begun(work) {
  try {
    return readFileSync(join(work, "began"), "utf8").trim().split("\n").map(Number);
  } catch {
    return [];
  }
}

/** What went well; throws what did not. */
export function successOf(result) {
  if (result.ok) return result.value;
  throw new Error(`${result.error.code}: ${result.error.message}`);
}
