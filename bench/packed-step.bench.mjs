/** What a durable step costs when its blobs are rows of the index, beside files and beside bare flushes.
 *
 *  1. Two storage roots, one of each kind, and the real engine on both, in turns in the same run.
 *  2. A step's time is all that the engine does between two calls of the role; medians are compared.
 *  3. The flush beside it is that of the same number of bytes appended to a file that is long already.
 *  4. Threads side by side share their commits. What that gains is measured against the same engine that
 *     publishes one step after the other.
 *  Bars: at step 10,000 1.3 × the cost at step 100; 32 threads 2.5 × the steps of one commit each. */
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";
import { idleThread, makeSteps, openSteadyEngine } from "./parts/steady-engine.mjs";

const ROUNDS = 5;
const STEPS = 1_000;
const LONG = 10_000;
const BLOCK = 50;
const BLOCKS = 15;
/** A resumed run loads what it needs with its first steps. */
const WARM_UP = 10;
const THREADS = 32;
const STEPS_EACH = 200;
/** What a step of the packed store writes to the log, about. */
const LOG_BYTES = 20_000;

await withScratchFolder(async (folder) => {
  const engines = {};
  for (const store of ["files", "packed"]) {
    mkdirSync(join(folder, store));
    engines[store] = await openSteadyEngine(join(folder, store), { store });
  }
  const flush = openBareFlush(folder);
  await besideFiles(engines, flush);
  await shortAndLong(engines.packed);
  await sideBySide(engines.packed);
  flush.close();
  for (const engine of Object.values(engines)) await engine.store.close();
});

async function besideFiles(engines, flush) {
  const times = { files: [], packed: [] };
  const flushes = [];
  const bytes = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [store, engine] of Object.entries(engines)) {
      const { threadId } = await idleThread(engine);
      const before = diskBytes(engine.root);
      const between = store === "packed" ? () => flushes.push(flush.timedOnce()) : () => {};
      times[store].push(...(await timedSteps(engine, threadId, { count: STEPS, between })));
      bytes[store] = (diskBytes(engine.root) - before) / STEPS;
    }
  }
  const bare = median(flushes);
  const [files, packed] = [median(times.files), median(times.packed)];
  printTable(`a durable step, ${ROUNDS} rounds of ${STEPS} steps in one process, medians`, [
    { what: `bare flush of ${LOG_BYTES / 1000} KB`, figure: ms(bare) },
    { what: "step, blobs are rows (packed)", figure: ms(packed), ratio: packed / bare },
    { what: "step, blobs are files", figure: ms(files), ratio: files / bare },
    { what: "packed beside files", figure: "", ratio: packed / files },
    { what: "disk a step, packed", figure: `${bytes.packed.toFixed(0)} B` },
    { what: "disk a step, files", figure: `${bytes.files.toFixed(0)} B` },
  ]);
}

async function shortAndLong(engine) {
  const long = await idleThread(engine);
  await makeSteps(engine, long.threadId, LONG);
  const costs = { short: [], long: [] };
  for (let block = 0; block < BLOCKS; block += 1) {
    const short = await idleThread(engine);
    await makeSteps(engine, short.threadId, 100 - WARM_UP);
    for (const [name, { threadId }] of Object.entries({ short, long })) {
      const count = WARM_UP + BLOCK;
      const steps = await timedSteps(engine, threadId, { count, between: () => {} });
      costs[name].push(median(steps.slice(WARM_UP)));
    }
  }
  const ratio = median(costs.long.map((cost, block) => cost / costs.short[block]));
  printTable(`a packed step in a short and in a long thread, median of ${BLOCKS} turns`, [
    { what: "around step 100", figure: ms(median(costs.short)) },
    { what: `around step ${LONG}`, figure: ms(median(costs.long)), ratio, bar: "1.3 ×" },
  ]);
}

async function sideBySide(engine) {
  const alone = { ...engine, cas: { ...engine.cas, publish: inTurn(engine.cas.publish) } };
  const rates = { together: [], alone: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.alone.push(await stepsASecond(alone));
    rates.together.push(await stepsASecond(engine));
  }
  const [one, many] = [median(rates.alone), median(rates.together)];
  printTable(`${THREADS} threads in one process, steps a second, median of ${ROUNDS}`, [
    { what: "one commit each", figure: one.toFixed(0) },
    { what: "commits shared", figure: many.toFixed(0), ratio: many / one, bar: "at least 2.5 ×" },
  ]);
}

/** Publishes one step after the other: nobody shares a commit. */
function inTurn(publish) {
  let last = Promise.resolve();
  return (nodes, move) => {
    const mine = last.then(() => publish(nodes, move));
    last = mine.catch(() => {});
    return mine;
  };
}

async function stepsASecond(engine) {
  const threads = [];
  for (let n = 0; n < THREADS; n += 1) threads.push(await idleThread(engine));
  const startedAt = performance.now();
  await Promise.all(threads.map(({ threadId }) => makeSteps(engine, threadId, STEPS_EACH)));
  return (THREADS * STEPS_EACH * 1_000) / (performance.now() - startedAt);
}

/** Milliseconds of each step; `between` runs outside of them. */
async function timedSteps(engine, threadId, { count, between }) {
  const steps = [];
  let resumedAt = null;
  globalThis.betweenSteps = () => {
    if (resumedAt !== null) steps.push(performance.now() - resumedAt);
    between();
    resumedAt = performance.now();
  };
  try {
    await makeSteps(engine, threadId, count);
  } finally {
    globalThis.betweenSteps = undefined;
  }
  return steps;
}

function openBareFlush(folder) {
  const fd = openSync(join(folder, "flushed"), "w");
  const bytes = Buffer.alloc(LOG_BYTES, 1);
  writeSync(fd, Buffer.alloc(4_000_000));
  let at = 0;
  return {
    timedOnce() {
      const startedAt = performance.now();
      // Within its length, as in a log that was begun anew.
      at = (at + LOG_BYTES) % 3_900_000;
      writeSync(fd, bytes, 0, LOG_BYTES, at);
      fdatasyncSync(fd);
      return performance.now() - startedAt;
    },
    close: () => closeSync(fd),
  };
}

/** What index and blobs take on disk, in whole blocks. */
function diskBytes(root) {
  const files = readdirSync(root, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile() && /index\.db$|\.txt$/.test(entry.name))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).blocks * 512, 0);
}
