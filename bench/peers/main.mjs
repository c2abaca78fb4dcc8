/** A durable step of ours beside one of other systems and beside bare flushes, on this machine, in this run:
 *  `npm run bench -- --peers [name …]`.
 *
 *  1. Each system is in a process of its own and gets the same role: an answer of 1 KB, one durable step
 *     each. A step's time is from the work of the role to the work of the next one.
 *  2. They take turns, a round each, so that all meet the same disk and the same neighbours. What is
 *     compared is the median of the rounds' medians; ratios are taken within a round.
 *  3. Long threads grow first and then wait in their role; then each makes some more steps, in turns with
 *     a new thread that is past its first hundred.
 *  4. Every turn has a limit of time, so the whole has one, whatever the machine. A system whose cost
 *     grows with its thread makes as many steps as that allows, and the table says how many.
 *  Bars: files 0.45 × Restate, 0.35 × DBOS; packed 0.25 × Restate; PostgreSQL 0.9 × Restate, 0.6 × DBOS; 1.3 × from step
 *  100 to 10,000. */
import { chmodSync } from "node:fs";
import { median } from "../parts/median.mjs";
import { ms, printTable } from "../parts/print-table.mjs";
import { withScratchFolder } from "../parts/scratch-folder.mjs";
import { diskBytes } from "./disk-bytes.mjs";
import { installPeers } from "./install.mjs";
import { openParticipant } from "./open-participant.mjs";
import { printColumns } from "./print-columns.mjs";
import { SYSTEMS } from "./systems.mjs";

const ROUNDS = 5;
const STEPS = 1_000;
const LONG = 10_000;
const BLOCK = 100;
/** A thread that waited finds cold caches. */
const WARM_UP = 10;
const ROUND_MAX_MS = 3_000;
const LONG_MAX_MS = 20_000;

const BARS = [
  { ours: "ours-files", peer: "restate", bar: "at most 0.45 ×" },
  { ours: "ours-files", peer: "dbos", bar: "at most 0.35 ×" },
  { ours: "ours-packed", peer: "restate", bar: "at most 0.25 ×" },
  { ours: "ours-postgres", peer: "dbos", bar: "at most 0.6 ×" },
  { ours: "ours-postgres", peer: "restate", bar: "at most 0.9 ×" },
  { ours: "ours-files", peer: "langgraph-durable", bar: "less than 1 ×" },
  { ours: "ours-files", peer: "flushes-of-files", bar: "at most 2.5 ×" },
  { ours: "ours-packed", peer: "flush" },
];

async function main(wanted) {
  const names = wanted.length === 0 ? Object.keys(SYSTEMS) : wanted;
  const unknown = names.filter((name) => !Object.hasOwn(SYSTEMS, name));
  if (unknown.length > 0) {
    console.error(`no such system: ${unknown} (there are ${Object.keys(SYSTEMS).join(", ")})`);
    return 2;
  }
  installPeers();
  await withScratchFolder(async (scratch) => {
    // A server that runs as another user must reach the folder that it is given.
    chmodSync(scratch, 0o711);
    const systems = [];
    try {
      for (const name of names) systems.push(await openParticipant(name, scratch));
      const rounds = await inRounds(systems);
      const long = await inLongThreads(systems);
      report(systems, rounds, long);
    } finally {
      await Promise.all(systems.map(({ participant }) => participant.close()));
    }
    if (wanted.length > 0) return;
    // What it imports is installed by now.
    const { compareBlobs } = await import("./blobs.mjs");
    await compareBlobs(scratch);
  });
  return 0;
}

/** Milliseconds of each step of each round, by name; and of each round a step in all, with what was put off. */
async function inRounds(systems) {
  const times = Object.fromEntries(systems.map(({ name }) => [name, []]));
  const whole = Object.fromEntries(systems.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    console.log(`  round ${round + 1} of ${ROUNDS}`);
    for (const { name, participant, most = STEPS } of systems) {
      const thread = `round ${round}`;
      const steps = Math.min(STEPS, most);
      await participant.ask("begin", { thread, steps });
      const made = await participant.ask("advance", { thread, count: steps, maxMs: ROUND_MAX_MS });
      times[name].push(made.times);
      const sum = made.times.reduce((total, time) => total + time, made.restMs);
      whole[name].push(sum / made.times.length);
    }
  }
  return { times, whole };
}

/** By name: how many steps the long thread has, the disk that they took, and the typical cost in each
 *  turn, of the short and of the long one. */
async function inLongThreads(systems) {
  const steady = systems.filter(({ most }) => most === undefined);
  console.log("  long threads");
  const figures = {};
  for (const { name, participant, folder } of steady) {
    const before = diskBytes(folder);
    await participant.ask("begin", { thread: "long", steps: LONG + ROUNDS * (WARM_UP + BLOCK) });
    const words = { thread: "long", count: LONG, maxMs: LONG_MAX_MS };
    const made = (await participant.ask("advance", words)).times.length;
    const bytes = (diskBytes(folder) - before) / made;
    figures[name] = { made, bytes, short: [], long: [] };
  }
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    for (const { name, participant } of steady) {
      const thread = `turn ${turn}`;
      const advance = async (which, count) => {
        const words = { thread: which, count, maxMs: ROUND_MAX_MS };
        return (await participant.ask("advance", words)).times;
      };
      const count = WARM_UP + BLOCK;
      const before = BLOCK / 2 - WARM_UP;
      await participant.ask("begin", { thread, steps: before + count });
      await advance(thread, before);
      figures[name].short.push(median((await advance(thread, count)).slice(WARM_UP)));
      figures[name].long.push(median((await advance("long", count)).slice(WARM_UP)));
    }
  }
  return figures;
}

function report(systems, { times: rounds, whole }, long) {
  const typical = Object.fromEntries(systems.map(({ name }) => [name, rounds[name].map(median)]));
  const rows = systems.map(({ name, what }) => {
    const last = rounds[name].map((times) => median(times.slice(-BLOCK)));
    const made = Math.min(...rounds[name].map((times) => times.length));
    return {
      what,
      [`of ${STEPS} steps`]: `${ms(median(typical[name]))}${made < STEPS ? ` (${made} steps)` : ""}`,
      "the last 100 of them": ms(median(last)),
      "mean, in all": ms(median(whole[name])),
      ...(long[name] === undefined ? {} : longCells(long[name])),
    };
  });
  printColumns(`a durable step, median of ${ROUNDS} rounds`, rows);
  const shown = BARS.filter(({ ours, peer }) => ours in typical && peer in typical);
  const beside = (medians) =>
    shown.map(({ ours, peer, bar }) => ({
      what: `${SYSTEMS[ours].what} : ${SYSTEMS[peer].what}`,
      figure: "",
      ratio: median(medians(ours).map((time, at) => time / medians(peer)[at])),
      bar,
    }));
  if (shown.length === 0) return;
  printTable(
    `ours beside the others, over ${STEPS} steps`,
    beside((name) => typical[name]),
  );
  printTable(
    `ours beside the others, around step ${LONG}`,
    beside((name) => long[name].long),
  );
}

function longCells({ made, bytes, short, long }) {
  const grown = median(long.map((time, turn) => time / short[turn]));
  return {
    "around step 100": ms(median(short)),
    [`around step ${LONG}`]: `${ms(median(long))}${made < LONG ? ` (${made})` : ""}`,
    grown: `${grown.toFixed(2)} ×`,
    "disk a step": `${(bytes / 1_000).toFixed(1)} KB`,
  };
}

process.exitCode = await main(process.argv.slice(2));
