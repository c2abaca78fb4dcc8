/** The real engine on a fresh storage root, with the steady workflow, or another one, built and registered. */
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execThread, openEngine, startThread } from "@uncaged/workflow-execute";
import { checkPattern, checkRule, checkTemplate } from "@uncaged/workflow-moderator";
import { addWorkflow, buildBundle } from "@uncaged/workflow-register";

const WORKFLOW = "steady";

/** `folder` gets the storage root in `root` and the bundle beside it. `store`: where its blobs go, `files`
 *  or `packed`. Whoever opens it closes its store. */
export async function openSteadyEngine(folder, { store } = { store: "files" }) {
  const engine = await openBareEngine(folder, store);
  await addBenchWorkflow(engine, folder, WORKFLOW);
  return engine;
}

async function openBareEngine(folder, store) {
  const packagesBase = import.meta.resolve("@uncaged/cli-workflow/package.json");
  const root = join(folder, "root");
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "workflow.yaml"), `config:\n  store: ${store}\n`, { mode: 0o600 });
  return openEngine({ root, packagesBase });
}

/** Builds and registers the workflow of this name in the folder beside this one. */
export async function addBenchWorkflow(engine, folder, name) {
  const { root } = engine;
  const packagesBase = import.meta.resolve("@uncaged/cli-workflow/package.json");
  const entry = fileURLToPath(new URL(`../workflow/${name}.mjs`, import.meta.url));
  const bases = { root, packagesBase, checkRule, checkTemplate, checkPattern };
  const built = successOf(
    await buildBundle({ ...bases, entry, out: join(folder, `${name}.esm.js`), cwd: folder }),
  );
  successOf(
    await addWorkflow({
      ...bases,
      name,
      file: built.file,
      types: null,
      registry: engine.registry,
      nowMs: engine.now(),
    }),
  );
}

/** A thread that waits for its first step. */
export async function idleThread(engine) {
  return successOf(await startThread(engine, { ...steadyStart(), run: "idle" }));
}

/** What starts a thread of the steady workflow, but for who runs it. It works outside of the repository that the benchmarks
 *  are in: the files of a repository are recorded at every step, which is measured by itself. */
export function steadyStart() {
  const limits = { steps: 1_000_000 };
  return { workflow: WORKFLOW, prompt: "Go on.", cwd: tmpdir(), startKey: null, limits };
}

/** Makes so many more steps of the thread, in this process. Throws when it made another number. */
export async function makeSteps(engine, threadId, count) {
  const thread = await engine.store.get(threadId);
  const { signal } = new AbortController();
  const report = successOf(await execThread(engine, thread, { count, signal }));
  if (report.steps.length !== count) {
    throw new Error(`${report.steps.length} steps were made, not ${count}`);
  }
  return engine.store.get(threadId);
}

/** Runs a thread of the workflow `fan` to its end, in this process: a group of so many members. Returns its steps. Throws
 *  when they were others. */
export async function fanOut(engine, members) {
  const words = { ...steadyStart(), workflow: "fan", prompt: String(members) };
  const thread = successOf(await startThread(engine, { ...words, run: "idle" }));
  const { signal } = new AbortController();
  const report = successOf(await execThread(engine, thread, { count: members + 1, signal }));
  if (report.status !== "completed" || report.steps.length !== members)
    throw new Error(`${report.steps.length} members were stored, the thread is ${report.status}`);
  return report.steps;
}

/** What went well; throws what did not. */
export function successOf(result) {
  if (result.ok) return result.value;
  throw new Error(`${result.error.code}: ${result.error.message}`);
}
