/** What a durable step costs: content, state and head, all on disk before the next begins.
 *
 *  1. The engine is the real one, driving a registered bundle in this process; only the role is trivial.
 *  2. A step's time is all that the engine does between two calls of the role: what the next step waits for.
 *     Beside it stands the flush alone that it needs, in turns: one engine step, one bare one. So both meet the
 *     same disk and the same neighbours.
 *  3. Its blobs are written out as files behind it. What that costs in all is measured in rounds of its own:
 *     steps without a pause, and then all that waits is written, as before a thread rests. Beside them, steps
 *     that write and flush both files before the next begins.
 *  4. On a shared disk one flush in a hundred takes a hundred times as long, so medians are compared;
 *     the means, with all of that in them, stand below.
 *  Bars: 2.5 × the flushes; at step 10,000 1.3 × the cost at step 100; memory within 64 MiB. */
import { refsOf } from "@uncaged/workflow-cas";
import { openBareStep } from "./parts/bare-step.mjs";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";
import { idleThread, makeSteps, openSteadyEngine, successOf } from "./parts/steady-engine.mjs";

const ROUNDS = 5;
const STEPS = 1_000;
const LONG = 10_000;
/** Steps timed in a row, around step 100 and around step 10,000, in turns. */
const BLOCK = 50;
const BLOCKS = 15;
/** A resumed run loads what it needs with its first steps. */
const WARM_UP = 10;

await withScratchFolder(async (folder) => {
  const engine = await openSteadyEngine(folder);
  const bare = openBareStep(folder, await blobBytes(engine));
  await besideFlushes(engine, bare);
  await shortAndLong(engine, bare);
  bare.close();
  await engine.store.close();
});

/** What content and state of a step take, deep enough in a thread to have most of its ancestors. */
async function blobBytes(engine) {
  const { threadId } = await idleThread(engine);
  const { head } = await makeSteps(engine, threadId, 600);
  const state = await engine.cas.get(head);
  const [content] = successOf(refsOf(state));
  return [await engine.cas.get(content), state].map((text) => Buffer.byteLength(text));
}

async function besideFlushes(engine, bare) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { threadId } = await idleThread(engine);
    const times = await timedSteps(engine, threadId, { count: STEPS, bare });
    rounds.push({ ...times, whole: await wholeSteps(engine), files: await fileSteps(bare) });
  }
  const of = (figure) => ({
    step: median(rounds.map(({ steps }) => figure(steps))),
    flushes: median(rounds.map(({ flushes }) => figure(flushes))),
    ratio: median(rounds.map(({ steps, flushes }) => figure(steps) / figure(flushes))),
  });
  const [typical, average] = [of(median), of(mean)];
  printTable(`a durable step, ${ROUNDS} rounds of ${STEPS} steps in one process`, [
    { what: "median of its flush alone", figure: ms(typical.flushes) },
    { what: "median step", figure: ms(typical.step), ratio: typical.ratio, bar: "2.5 ×" },
    { what: "mean of its flush alone", figure: ms(average.flushes) },
    { what: "mean step", figure: ms(average.step), ratio: average.ratio, bar: "2.5 ×" },
    { what: "steps a second, of the mean", figure: (1_000 / average.step).toFixed(0) },
  ]);
  const ratio = median(rounds.map(({ whole, files }) => whole / files));
  printTable(`the same until its blobs are files, in all, ${ROUNDS} rounds of ${STEPS} steps`, [
    {
      what: "mean of two files, their folder and the head",
      figure: ms(median(rounds.map(({ files }) => files))),
    },
    {
      what: "mean step, files written behind included",
      figure: ms(median(rounds.map(({ whole }) => whole))),
      ratio,
    },
  ]);
}

/** Milliseconds a step, when none pauses and all are files in the end. */
async function wholeSteps(engine) {
  const { threadId } = await idleThread(engine);
  let startedAt = null;
  let tookMs = 0;
  globalThis.betweenSteps = async (round) => {
    startedAt ??= performance.now();
    if (round <= STEPS) return;
    await engine.cas.flush();
    tookMs = performance.now() - startedAt;
  };
  try {
    await makeSteps(engine, threadId, STEPS + 1);
  } finally {
    globalThis.betweenSteps = undefined;
  }
  return tookMs / STEPS;
}

async function fileSteps(bare) {
  const startedAt = performance.now();
  for (let step = 0; step < STEPS; step += 1) await bare.once();
  return (performance.now() - startedAt) / STEPS;
}

async function shortAndLong(engine, bare) {
  const long = await idleThread(engine);
  const { first, last } = await memoryOver(() => makeSteps(engine, long.threadId, LONG));
  const costs = { short: [], long: [] };
  const count = WARM_UP + BLOCK;
  for (let block = 0; block < BLOCKS; block += 1) {
    const short = await idleThread(engine);
    await makeSteps(engine, short.threadId, 100 - WARM_UP);
    for (const [name, { threadId }] of Object.entries({ short, long })) {
      const { steps, flushes } = await timedSteps(engine, threadId, { count, bare });
      const typical = (times) => median(times.slice(WARM_UP));
      costs[name].push({ step: typical(steps), flushes: typical(flushes) });
    }
  }
  const of = (name, what) => median(costs[name].map((cost) => cost[what]));
  const each = costs.long.map((cost, block) => cost.step / costs.short[block].step);
  printTable(`a durable step in a short and in a long thread, median of ${BLOCKS} turns`, [
    { what: "around step 100", figure: ms(of("short", "step")) },
    {
      what: `around step ${LONG}`,
      figure: ms(of("long", "step")),
      ratio: median(each),
      bar: "1.3 ×",
    },
    { what: "flush alone, beside the first", figure: ms(of("short", "flushes")) },
    { what: "flush alone, beside the second", figure: ms(of("long", "flushes")) },
  ]);
  printTable(`memory of a process over ${LONG} steps of one thread`, [
    { what: "at step 1,000", figure: mib(first) },
    { what: `at step ${LONG}`, figure: mib(last) },
    { what: "grown by", figure: mib(last - first), bar: "64 MiB" },
  ]);
}

/** Milliseconds of each step, and of the bare one that followed it. */
async function timedSteps(engine, threadId, { count, bare }) {
  const times = { steps: [], flushes: [] };
  let resumedAt = null;
  globalThis.betweenSteps = () => {
    const stepDoneAt = performance.now();
    if (resumedAt !== null) times.steps.push(stepDoneAt - resumedAt);
    bare.commit();
    resumedAt = performance.now();
    times.flushes.push(resumedAt - stepDoneAt);
  };
  try {
    await makeSteps(engine, threadId, count);
  } finally {
    globalThis.betweenSteps = undefined;
  }
  return times;
}

/** Resident bytes at step 1,000, when all code is loaded and hot, and at the last. */
async function memoryOver(run) {
  const resident = {};
  globalThis.betweenSteps = (round) => {
    if (round === 1_000) resident.first = process.memoryUsage.rss();
    if (round === LONG) resident.last = process.memoryUsage.rss();
  };
  await run();
  globalThis.betweenSteps = undefined;
  return resident;
}

function mean(figures) {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

function mib(bytes) {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
