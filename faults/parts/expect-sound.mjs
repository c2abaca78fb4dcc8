/** What must hold after every case, whatever the fault was.
 *
 *  1. Every blob is sound and everything that a thread reaches is there (`cas fsck`).
 *  2. Every thread proves itself (`thread verify`).
 *  3. The registry and the history can be read.
 *  4. After a garbage collection of a later day no temporary file is left.
 *  5. No process that had to do with the root is left. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { checkStorage, collectStorage, verifyThread } from "@uncaged/workflow-execute";
import { readRegistry } from "@uncaged/workflow-register";
import { successOf, withEngine } from "./scene.mjs";

const DAY_MS = 24 * 60 * 60 * 1000;
/** For what was told to end to be gone. */
const PATIENCE_MS = 10_000;

export async function expectSound(scene) {
  await withEngine(scene.root, async (engine) => {
    await expectClean(engine);
    const registry = successOf(await readRegistry(scene.root));
    assert.ok(registry.workflows.size > 0, "the registry has lost its workflows");
    await engine.store.history();
    const later = { ...engine, now: () => engine.now() + DAY_MS };
    await collectStorage(later, { dryRun: false, graceMs: 0 });
    await expectClean(engine);
  });
  assert.deepEqual(temporaries(scene.root), [], "temporary files outlive a garbage collection");
  await expectNoProcess(scene);
}

async function expectClean(engine) {
  const { problems } = await checkStorage(engine);
  assert.deepEqual(problems, [], "cas fsck");
  for (const thread of await engine.store.list({})) {
    const report = await verifyThread(engine, thread);
    assert.deepEqual(report.problems, [], `thread verify ${thread.threadId}`);
  }
}

function temporaries(folder) {
  return readdirSync(folder, { recursive: true }).filter((path) =>
    /(^|\/)\.(tmp-[^/]*|[^/]*\.tmp)$/.test(path),
  );
}

/** Every process of a case has the root in its environment, and keeps it whatever session it moves to. */
export async function expectNoProcess({ root }) {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (processesOf(root).length > 0) {
    assert.ok(Date.now() < giveUpAt, `still running: ${processesOf(root).join(", ")}`);
    await sleep(50);
  }
}

/** Pids of the living processes that were told of this root. */
export function processesOf(root) {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      // Read first: what is a zombie by now has no environment any more.
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`=${root}\0`);
    } catch {
      return false;
    }
  });
}
