/** What a group of 1,000 trivial members costs, 16 at once, durable, beside 1,000 steps in a row.
 *
 *  1. Both run in the same process on the same storage root, in turns. A time is all that the engine takes until the
 *     thread rests, the loading of the thread and its last flush included.
 *  2. The decision after the group is timed alone, on a thread whose last step is the last of 1,000 members.
 *  Bars: packed 1,500 members a second, 1.3 × the steps in a row; the decision 1 ms. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pickRoute } from "@uncaged/workflow-moderator";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";
import {
  addBenchWorkflow,
  fanOut,
  idleThread,
  makeSteps,
  openSteadyEngine,
} from "./parts/steady-engine.mjs";

const ROUNDS = 5;
const MEMBERS = 1_000;

await withScratchFolder(async (folder) => {
  for (const store of ["files", "packed"]) {
    mkdirSync(join(folder, store));
    const engine = await openSteadyEngine(join(folder, store), { store });
    await addBenchWorkflow(engine, join(folder, store), "fan");
    await besideSteps(engine, store);
    await engine.store.close();
  }
});
await decisionAfterGroup();

async function besideSteps(engine, store) {
  const times = { group: [], row: [] };
  // The first of each loads what all need.
  for (let round = 0; round <= ROUNDS; round += 1) {
    times.row.push(await timed(() => inARow(engine)));
    times.group.push(await timed(() => fanOut(engine, MEMBERS)));
  }
  const typical = (name) => median(times[name].slice(1)) / MEMBERS;
  const ratio = median(times.group.slice(1).map((ms, at) => ms / times.row[at + 1]));
  printTable(`${MEMBERS} members, 16 at once, ${store}, median of ${ROUNDS} rounds`, [
    { what: "a step in a row", figure: ms(typical("row")) },
    { what: "a member of the group", figure: ms(typical("group")), ratio, bar: "1.3 ×" },
    {
      what: "members a second",
      figure: (1_000 / typical("group")).toFixed(0),
      ...(store === "packed" ? { bar: "1,500" } : {}),
    },
  ]);
}

async function inARow(engine) {
  const { threadId } = await idleThread(engine);
  await makeSteps(engine, threadId, MEMBERS);
}

async function timed(run) {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** As the engine asks it: the members were added one by one, in the order in which they finished. */
async function decisionAfterGroup() {
  const edges = [
    {
      ...{ from: "members", to: "__end__", condition: "done", when: "group.failed = 0" },
      ...{ prompt: null, location: null },
    },
  ];
  const times = [];
  for (let round = 0; round < 200; round += 1) {
    const steps = Array.from({ length: MEMBERS }, (_, at) => member((at * 7) % MEMBERS));
    const start = { role: "__start__", content: "", meta: {}, timestamp: 0, parentState: null };
    const ctx = { threadId: "", depth: 0, bundleHash: "", start, steps };
    times.push(await timed(() => pickRoute(edges, ctx)));
  }
  printTable(`the decision after a group of ${MEMBERS}`, [
    { what: "median of the first that sees the members", figure: ms(median(times)), bar: "1 ms" },
  ]);
}

function member(index) {
  return {
    role: "worker",
    meta: { status: "going", step: index },
    contentHash: "0".repeat(13),
    refs: [],
    timestamp: index,
    childThread: null,
    run: null,
    group: { name: "members", entry: 0, index, of: MEMBERS },
  };
}
