import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  expectCompleted,
  queued,
  registered,
  signalAll,
  startHost,
  until,
  withCluster,
} from "../parts/cluster.mjs";
import { processesOf } from "../parts/expect-sound.mjs";
import { begun } from "../parts/scene.mjs";

export const title =
  "two machines and a root in PostgreSQL: a worker, a machine, the way to the server or the server itself gone";

const STEPS = 6;

export async function* cases(lab) {
  const of = (play) => () => withCluster(lab, play);
  yield {
    name: "a host and its workers killed, another on the same machine",
    run: of(killed(true)),
  };
  yield { name: "a machine gone without a word", run: of(killed(false)) };
  yield { name: "a machine cut off from the server for half a minute", run: of(cutOff) };
  yield { name: "a machine frozen past its leases", run: of(frozen(lab.thorough ? 20_000 : 0)) };
  yield { name: "the server killed and back after two seconds", run: of(serverKilled) };
  yield { name: "two machines that begin with an empty database at once", run: of(fromNothing) };
}

/** A finished step is not run again, and the one that was under way at most once more. */
function killed(sameMachine) {
  return async (cluster) => {
    const first = await cluster.machine("first");
    const second = await cluster.machine("second");
    await registered(cluster, first, "steps");
    const isApart = !sameMachine;
    startHost(first, { isApart });
    const prompt = { steps: STEPS, sleepMs: 400, pad: 0 };
    const threads = [];
    for (const name of ["one", "two", "three"])
      threads.push(await queued(cluster, first, { name, workflow: "steps", prompt }));
    await until("the second step of each", () =>
      threads.every(({ work }) => begun(work).includes(2)),
    );
    startHost(second, { isApart });
    signalAll(first, "SIGKILL");
    await expectCompleted(second, threads);
    for (const { work } of threads) expectAgainOnce(begun(work));
  };
}

function expectAgainOnce(steps) {
  const inOrder = [...Array.from({ length: STEPS }, (_, index) => index + 1), 0];
  assert.deepEqual([...new Set(steps)], inOrder);
  assert.ok(steps.length <= inOrder.length + 1, `more than one step began twice: ${steps}`);
}

/** Says that it is at work, for longer than a lease lasts. */
const AT_WORK = `
  const { appendFileSync } = require("node:fs");
  const beginning = Date.now();
  const name = Math.random();
  setInterval(() => {
    appendFileSync("at-work", name + " " + Date.now() + "\\n");
    if (Date.now() - beginning > 18000) process.exit();
  }, 50);`;

/** The agent is ended before the lease runs out: never are two at work. */
async function cutOff(cluster) {
  const { first, second, thread } = await oneAtWork(cluster);
  first.way.cut();
  await until("another agent", () => spans(thread.work).length > 1);
  await sleep(15_000);
  first.way.mend();
  await expectCompleted(second, [thread], [first]);
  const [lost, taken, ...more] = spans(thread.work);
  assert.deepEqual(more, []);
  assert.ok(lost.to < taken.from, `two agents at work: ${JSON.stringify([lost, taken])}`);
}

/** What wakes up late writes nothing, and ends. */
function frozen(atLeastMs) {
  return async (cluster) => {
    const { first, second, thread } = await oneAtWork(cluster);
    const frozenAt = performance.now();
    signalAll(first, "SIGSTOP");
    await until("another agent", () => spans(thread.work).length > 1);
    await sleep(Math.max(0, frozenAt + atLeastMs - performance.now()));
    signalAll(first, "SIGCONT");
    await until("the end of the agent that was frozen", () => !hasAgent(first));
    await expectCompleted(second, [thread], [first]);
    assert.equal(spans(thread.work).length, 2);
  };
}

async function oneAtWork(cluster) {
  const first = await cluster.machine("first");
  const second = await cluster.machine("second");
  await registered(cluster, first, "hand");
  startHost(first);
  const prompt = ["-e", AT_WORK];
  const thread = await queued(cluster, first, { name: "one", workflow: "hand", prompt });
  await until("an agent at work", () => spans(thread.work).length > 0);
  startHost(second);
  return { first, second, thread };
}

const hasAgent = ({ root }) =>
  processesOf(root).some((pid) => commandLine(pid).includes("at-work"));

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

/** From when to when each agent was at work, in their order. */
function spans(work) {
  const file = join(work, "at-work");
  if (!existsSync(file)) return [];
  const seen = new Map();
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const [name, at] = line.split(" ");
    const span = seen.get(name) ?? { from: Number(at), to: 0 };
    seen.set(name, { ...span, to: Number(at) });
  }
  return [...seen.values()];
}

async function serverKilled(cluster) {
  const first = await cluster.machine("first");
  await registered(cluster, first, "steps");
  startHost(first);
  const prompt = { steps: STEPS, sleepMs: 400, pad: 0 };
  const threads = [];
  for (const name of ["one", "two", "three", "four"])
    threads.push(await queued(cluster, first, { name, workflow: "steps", prompt }));
  await until("the second step of each", () =>
    threads.every(({ work }) => begun(work).includes(2)),
  );
  cluster.server.kill();
  await sleep(2_000);
  await cluster.server.start();
  await expectCompleted(first, threads);
  for (const { work } of threads) expectAgainOnce(begun(work));
}

/** Both bring the tables with them, and neither gets in the way of the other. */
async function fromNothing(cluster) {
  const machines = await Promise.all(["first", "second"].map((name) => cluster.machine(name)));
  const [first, second] = machines;
  await registered(cluster, first, "steps");
  for (const machine of machines) startHost(machine);
  const prompt = { steps: STEPS, sleepMs: 100, pad: 0 };
  const threads = [];
  for (const [at, machine] of machines.entries())
    threads.push(await queued(cluster, machine, { name: `of-${at}`, workflow: "steps", prompt }));
  await expectCompleted(second, threads, [first]);
  const once = [...Array.from({ length: STEPS }, (_, index) => index + 1), 0];
  for (const { work } of threads) assert.deepEqual(begun(work), once);
}
