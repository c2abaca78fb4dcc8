/** 1,000 forks in the middle of a thread of 500 steps and of one of 5,000, none of them run: how long they take, and
 *  what they add to the blobs. Bars: not one byte, since a fork names nodes that are there; and 1.5 × for the
 *  longer thread, since the step is found over the skip list. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { forkThread } from "@uncaged/workflow-execute";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";
import { idleThread, makeSteps, openSteadyEngine } from "./parts/steady-engine.mjs";

const SHORT = 500;
const LONG = 5_000;
const FORKS = 1_000;

await withScratchFolder(async (folder) => {
  const engine = await openSteadyEngine(folder);
  const short = await threadOf(engine, SHORT);
  const long = await threadOf(engine, LONG);
  const before = blobs(engine.root);
  const times = { short: [], long: [] };
  for (let made = 0; made < FORKS; made += 1) {
    times.short.push(await timedFork(engine, short));
    times.long.push(await timedFork(engine, long));
  }
  const added = blobs(engine.root).bytes - before.bytes;
  if (added !== 0) throw new Error(`the forks added ${added} bytes to the blobs`);
  const ratio = median(times.long) / median(times.short);
  printTable(`a fork, median of ${FORKS}`, [
    { what: `in a thread of ${SHORT} steps`, figure: ms(median(times.short)) },
    { what: `in one of ${LONG}`, figure: ms(median(times.long)), ratio, bar: "1.5 ×" },
    { what: "added to the blobs by all", figure: `${added} bytes`, bar: "0 bytes" },
    { what: "the threads' own blobs", figure: `${before.count} files, ${before.bytes} bytes` },
  ]);
  await engine.store.close();
});

async function threadOf(engine, steps) {
  const { threadId } = await idleThread(engine);
  return makeSteps(engine, threadId, steps);
}

async function timedFork(engine, thread) {
  const from = { kind: "step", step: thread.stepCount / 2 };
  const opts = {
    from,
    agent: null,
    limits: null,
    bundle: null,
    prompt: null,
    files: "as known",
    run: "idle",
  };
  const startedAt = performance.now();
  const forked = await forkThread(engine, thread, opts);
  const tookMs = performance.now() - startedAt;
  if (!forked.ok) throw new Error(forked.error.message);
  return tookMs;
}

function blobs(root) {
  const folder = join(root, "cas");
  const sizes = readdirSync(folder).map((file) => statSync(join(folder, file)).size);
  return { count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
