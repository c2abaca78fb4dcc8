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
import { document } from "../parts/command.mjs";
import { processesOf } from "../parts/expect-sound.mjs";
import { begun } from "../parts/scene.mjs";

export const title =
  "two machines and a root in PostgreSQL: a worker, a machine, the way to the server or the server itself gone";

const STEPS = 6;
/** So many answers of the server arrive while a thread of that many steps runs, and more. */
const ANSWERS = Array.from({ length: 100 }, (_, index) => index + 1);
const SHORT = 1;
const MINUTE_MS = 60_000;

export async function* cases(lab) {
  const of = (play) => () => withCluster(lab, play);
  yield {
    name: "a host and its workers killed, another on the same machine",
    run: of(killed(true)),
  };
  yield { name: "a machine gone without a word", run: of(killed(false)) };
  yield { name: "a machine cut off from the server for half a minute", run: of(cutOff) };
  yield { name: "a machine frozen past its leases", run: of(frozen(lab.thorough ? 20_000 : 0)) };
  const away = lab.some([2_000, 30_000], SHORT);
  for (const ms of away)
    yield { name: `the server killed, and back after ${ms} ms`, run: of(serverKilled(ms)) };
  yield { name: "two machines that begin with an empty database at once", run: of(fromNothing) };
  yield { name: "two machines, one clock a minute ahead and one behind", run: of(otherClocks) };
  for (const n of lab.some(ANSWERS, SHORT)) {
    yield {
      name: `a host and its workers killed at answer ${n} of the server`,
      run: of(killedAt(n)),
    };
    yield { name: `answer ${n} of the server lost`, run: of(answerLost(n)) };
  }
}

/** A finished step is not run again, and the one that was under way at most once more. */
function killed(sameMachine) {
  return async (cluster) => {
    const first = await cluster.machine("first");
    const second = await cluster.machine("second");
    await registered(cluster, first, "steps");
    const isApart = !sameMachine;
    startHost(first, { isApart });
    const threads = await threeThreads(cluster, first);
    await until("the second step of each", () =>
      threads.every(({ work }) => begun(work).includes(2)),
    );
    startHost(second, { isApart });
    // A machine whose power is gone closes no connection.
    if (isApart) first.wire.cut();
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

/** The agent is ended before the lease runs out: never are two at work. What was sent before and not answered arrives when
 *  the network is back. */
async function cutOff(cluster) {
  const { first, second, thread } = await oneAtWork(cluster);
  first.wire.cut();
  await until("another agent", () => spans(thread.work).length > 1);
  await sleep(15_000);
  first.wire.mend();
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

function serverKilled(awayMs) {
  return async (cluster) => {
    const first = await cluster.machine("first");
    await registered(cluster, first, "steps");
    startHost(first);
    const threads = await threeThreads(cluster, first);
    await until("the second step of each", () =>
      threads.every(({ work }) => begun(work).includes(2)),
    );
    cluster.server.kill();
    await sleep(awayMs);
    await cluster.server.start();
    await expectCompleted(first, threads);
    for (const { work } of threads) expectAgainOnce(begun(work));
  };
}

/** A host whose neighbour was killed takes over at once: how long that takes is the figure. */
function killedAt(n) {
  return async (cluster) => {
    const first = await cluster.machine("first");
    const second = await cluster.machine("second");
    await registered(cluster, first, "steps");
    startHost(first, { isApart: false });
    // So long that another host is up before they end.
    const threads = await threeThreads(cluster, first, 1_500);
    await until("the first step of each", () =>
      threads.every(({ work }) => begun(work).length > 0),
    );
    startHost(second, { isApart: false });
    await until("the second host", async () => (await workers(second)).length === 2);
    const { promise: kill, resolve } = Promise.withResolvers();
    first.way.atAnswer(n, () => {
      signalAll(first, "SIGKILL");
      resolve(performance.now());
    });
    const done = until("the end of all", () =>
      threads.every(({ work }) => begun(work).includes(0)),
    );
    const killedAt = await Promise.race([kill, done.then(() => null)]);
    const underWay = threads.map(({ work }) => work).filter((work) => !begun(work).includes(0));
    const counts = underWay.map((work) => begun(work).length);
    await until("the next step of each", () =>
      underWay.every((work, at) => begun(work).length > counts[at]),
    );
    const tookMs = performance.now() - killedAt;
    await expectCompleted(second, threads, killedAt === null ? [first] : []);
    for (const { work } of threads) expectAgainOnce(begun(work));
    if (killedAt === null || underWay.length === 0) return { hit: false };
    return { hit: true, tookMs };
  };
}

const workers = async ({ root }) => (await document(["worker", "list"], { root })).workers;

/** What was stored is taken for stored, although nobody was told so. */
function answerLost(n) {
  return async (cluster) => {
    const first = await cluster.machine("first");
    await registered(cluster, first, "steps");
    startHost(first);
    const threads = await threeThreads(cluster, first);
    await until("the first step of each", () =>
      threads.every(({ work }) => begun(work).length > 0),
    );
    let hit = false;
    first.way.atAnswer(n, () => {
      hit = true;
      return "lose";
    });
    await until("the end of all", () => threads.every(({ work }) => begun(work).includes(0)));
    await expectCompleted(first, threads);
    for (const { work } of threads) expectOnce(begun(work));
    return { hit };
  };
}

/** Leases go by the server's clock alone. */
async function otherClocks(cluster) {
  const first = await cluster.machine("first");
  const second = await cluster.machine("second");
  await registered(cluster, first, "steps");
  startHost(first, { clockMs: MINUTE_MS });
  const early = await threeThreads(cluster, first);
  await until("the first step of each", () => early.every(({ work }) => begun(work).length > 0));
  startHost(second, { clockMs: -MINUTE_MS });
  await until("the second host", async () => (await workers(second)).length === 2);
  const late = await threeThreads(cluster, second);
  await expectCompleted(second, [...early, ...late], [first]);
  for (const { work } of [...early, ...late]) expectOnce(begun(work));
  for (const { root } of [first, second])
    assert.ok(readFileSync(join(root, "..", "other-clock"), "utf8").split("\n").length > 2);
}

async function threeThreads(cluster, machine, sleepMs = 400) {
  const prompt = { steps: STEPS, sleepMs, pad: 0 };
  const threads = [];
  for (const name of ["one", "two", "three"])
    threads.push(
      await queued(cluster, machine, {
        name: `${name}-${machine.name}`,
        workflow: "steps",
        prompt,
      }),
    );
  return threads;
}

function expectOnce(steps) {
  assert.deepEqual(steps, [...Array.from({ length: STEPS }, (_, index) => index + 1), 0]);
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
  for (const { work } of threads) expectOnce(begun(work));
}
