/** Reading a thread of 10,000 steps: all of it by the command, the last page of it in this process.
 *  Bars: `thread show --json` 0.6 s, start-up included; the last page 2 × that of a 100-step thread. */
import { threadPage } from "@uncaged/workflow-execute";
import { COMMAND, timedRounds } from "./parts/command.mjs";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";
import { idleThread, makeSteps, openSteadyEngine } from "./parts/steady-engine.mjs";

const SHORT = 100;
const LONG = 10_000;
const SHOWS = 9;
const PAGES = 301;

await withScratchFolder(
  async (folder) => {
    const engine = await openSteadyEngine(folder);
    const short = await threadOf(engine, SHORT);
    const long = await threadOf(engine, LONG);
    shows(engine.root, { short, long });
    await pages(engine, { short, long });
    await engine.store.close();
  },
  // What is read is in memory by then, whatever it was written to.
  { flushes: "cost-nothing" },
);

function shows(root, { short, long }) {
  const show = ({ threadId, stepCount }) => ({
    root,
    args: [COMMAND, "thread", "show", threadId, "--json"],
    check: (stdout) => {
      const { steps } = JSON.parse(stdout);
      if (steps.length !== stepCount) throw new Error(`${steps.length} steps, not ${stepCount}`);
    },
  });
  const bare = { root, args: ["-e", "0"], check: () => {} };
  const cases = { bare, short: show(short), long: show(long) };
  timedRounds(cases, 1);
  const times = timedRounds(cases, SHOWS);
  printTable(`thread show --json, start-up included, median of ${SHOWS}`, [
    { what: "node -e 0", figure: ms(median(times.bare)) },
    { what: `${SHORT} steps`, figure: ms(median(times.short)) },
    { what: `${LONG} steps`, figure: ms(median(times.long)), bar: "600 ms" },
  ]);
}

async function pages(engine, { short, long }) {
  const times = { short: [], long: [] };
  for (let round = 0; round < PAGES; round += 1) {
    times.short.push(await timedPage(engine, short));
    times.long.push(await timedPage(engine, long));
  }
  const ratio = median(times.long) / median(times.short);
  printTable(`last page of a thread's conversation, median of ${PAGES}`, [
    { what: `${SHORT} steps`, figure: ms(median(times.short)) },
    { what: `${LONG} steps`, figure: ms(median(times.long)), ratio, bar: "2 ×" },
  ]);
}

async function timedPage(engine, thread) {
  const startedAt = performance.now();
  const page = await threadPage(engine, thread, { budgetChars: 8_000, before: null });
  const tookMs = performance.now() - startedAt;
  const { round } = page.messages.at(-1);
  if (round !== thread.stepCount) throw new Error(`the page ends at round ${round}`);
  return tookMs;
}

async function threadOf(engine, steps) {
  const { threadId } = await idleThread(engine);
  return makeSteps(engine, threadId, steps);
}
