/** 1,000 forks of a thread of 500 steps, none of them run: how long they take, and what they add to the blobs.
 *  Bar: not one byte; a fork names nodes that are there. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { forkThread } from "@uncaged/workflow-execute";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";
import { idleThread, makeSteps, openSteadyEngine } from "./parts/steady-engine.mjs";

const STEPS = 500;
const FORKS = 1_000;

await withScratchFolder(async (folder) => {
  const engine = await openSteadyEngine(folder);
  const { threadId } = await idleThread(engine);
  const thread = await makeSteps(engine, threadId, STEPS);
  const before = blobs(engine.root);
  const startedAt = performance.now();
  await forks(engine, thread);
  const tookMs = performance.now() - startedAt;
  const added = blobs(engine.root).bytes - before.bytes;
  if (added !== 0) throw new Error(`the forks added ${added} bytes to the blobs`);
  printTable(`${FORKS} forks of a thread of ${STEPS} steps`, [
    { what: "all of them", figure: `${(tookMs / 1_000).toFixed(1)} s` },
    { what: "each", figure: ms(tookMs / FORKS) },
    { what: "added to the blobs", figure: `${added} bytes`, bar: "0 bytes" },
    { what: "the thread's own blobs", figure: `${before.count} files, ${before.bytes} bytes` },
  ]);
  await engine.store.close();
});

async function forks(engine, thread) {
  const from = { kind: "step", step: STEPS / 2 };
  for (let made = 0; made < FORKS; made += 1) {
    const opts = { from, agent: null, limits: null, bundle: null, prompt: null, run: "idle" };
    const forked = await forkThread(engine, thread, opts);
    if (!forked.ok) throw new Error(forked.error.message);
  }
}

function blobs(root) {
  const folder = join(root, "cas");
  const sizes = readdirSync(folder).map((file) => statSync(join(folder, file)).size);
  return { count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
