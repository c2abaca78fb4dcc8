/** From `thread resume` to the next step on disk, for a thread whose runner was killed with SIGKILL.
 *  Bar: 1 s, start of the command and of the runner included. */
import { setTimeout as sleep } from "node:timers/promises";
import { killThread, runningThreads, startThread } from "@uncaged/workflow-execute";
import { COMMAND, timedNode } from "./parts/command.mjs";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";
import { openSteadyEngine, steadyStart, successOf } from "./parts/steady-engine.mjs";

const ROUNDS = 7;
const STEPS_BEFORE = 100;
/** For what the runner of a busy machine may need; past it something is broken. */
const PATIENCE_MS = 30_000;

await withScratchFolder(async (folder) => {
  const engine = await openSteadyEngine(folder);
  const { threadId } = successOf(
    await startThread(engine, { ...steadyStart(), run: "background" }),
  );
  const never = new AbortController().signal;
  try {
    const times = [];
    for (let round = 0; round < ROUNDS; round += 1)
      times.push(await crashAndResume(engine, threadId));
    const [before] = await runningThreads(engine);
    printTable(`a killed runner, median of ${ROUNDS}`, [
      { what: "the command resume", figure: ms(median(times.map(({ commandMs }) => commandMs))) },
      {
        what: `from its start to the next step, of about ${before.stepCount}`,
        figure: ms(median(times.map(({ stepMs }) => stepMs))),
        bar: "1 s",
      },
    ]);
  } finally {
    // Its workflow never ends: a benchmark that broke would leave the runner behind for good.
    successOf(await killThread(engine, await engine.store.get(threadId), { signal: never }));
  }
  await engine.store.close();
});

async function crashAndResume(engine, threadId) {
  const { stepCount } = await engine.store.get(threadId);
  await until(async () => (await engine.store.get(threadId)).stepCount >= stepCount + STEPS_BEFORE);
  const [{ pid }] = await runningThreads(engine);
  process.kill(pid, "SIGKILL");
  await until(async () => isGone(pid));
  const killedAt = (await engine.store.get(threadId)).stepCount;
  const startedAt = performance.now();
  const { tookMs } = timedNode([COMMAND, "thread", "resume", threadId], { root: engine.root });
  await until(async () => (await engine.store.get(threadId)).stepCount > killedAt);
  return { commandMs: tookMs, stepMs: performance.now() - startedAt };
}

async function until(holds) {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error("it did not come to pass");
    await sleep(2);
  }
}

function isGone(pid) {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
