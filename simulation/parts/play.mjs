/** One seed: random actions on a few threads, with power cuts at random operations, and what must hold after
 *  each of them. Returns what did not hold. */

import {
  checkStorage,
  collectStorage,
  execThread,
  forkThread,
  pokeThread,
  startThread,
  verifyThread,
  viewThread,
} from "@uncaged/workflow-execute";
import { PowerCut } from "./lossy-disk.mjs";
import { randomOf } from "./random.mjs";
import { newWorld } from "./world.mjs";

const ACTIONS = 14;
const MAX_THREADS = 4;
const MAX_STEPS = 9;
const LEASE_IS_OVER_MS = 5 * 60 * 1000;
const FINAL = new Set(["completed", "failed", "aborted"]);

export async function play(seed, base) {
  const random = randomOf(seed);
  const world = await newWorld(base);
  const run = { random, world, base, threads: new Map(), problems: [], log: [], cuts: 0 };
  globalThis.simulatedAgent = (call) => agent(run, call);
  for (let at = 0; at < ACTIONS; at++) {
    if (random.chance(0.5)) world.disk.cutAfter(1 + random.below(120));
    const action = choose(run);
    run.log.push(`${at}: ${action.name}`);
    const cut = await happens(run, action);
    if (cut) {
      run.cuts += 1;
      run.log.push(`   power cut after ${world.disk.operations} operations`);
      world.restart(random);
    } else world.disk.cutAfter(Number.POSITIVE_INFINITY);
    await check(run, `after ${action.name}${cut ? " and a power cut" : ""}`);
    if (run.problems.length > 0) break;
  }
  await world.close();
  return {
    problems: run.problems,
    log: run.log,
    cuts: run.cuts,
    operations: world.disk.operations,
  };
}

/** Whether the power was cut. A refusal is a value, and fine. */
async function happens(run, action) {
  const before = run.world.disk.isOff;
  try {
    await action.act();
  } catch (thrown) {
    if (!run.world.disk.isOff && !(thrown instanceof PowerCut)) {
      run.problems.push(`${action.name} threw: ${thrown.stack}`);
    }
  }
  return !before && run.world.disk.isOff;
}

function choose(run) {
  const { random, threads } = run;
  const known = [...threads.values()];
  if (known.length === 0) return start(run);
  const thread = random.oneOf(known);
  const others = [
    () => exec(run, thread),
    () => exec(run, thread),
    () => exec(run, thread),
    () => frozen(run, thread),
    () => poke(run, thread),
    () => collect(run),
    ...(known.length < MAX_THREADS ? [() => start(run), () => fork(run, thread)] : []),
  ];
  return random.oneOf(others)();
}

function start(run) {
  const prompt = String(1 + run.random.below(MAX_STEPS));
  return {
    name: `start a thread of ${prompt} steps`,
    act: async () => {
      const engine = run.world.engine();
      const started = await startThread(engine, {
        workflow: "scripted",
        prompt,
        cwd: run.base.root,
        startKey: null,
        limits: null,
        run: "idle",
      });
      if (started.ok) remember(run, started.value.threadId, new Map());
    },
  };
}

function remember(run, threadId, acknowledged, isFork = false) {
  const place = run.threads.size + 1;
  run.threads.set(threadId, { threadId, place, acknowledged, isFork, poked: false });
}

function exec(run, thread) {
  const count = 1 + run.random.below(4);
  return {
    name: `exec ${count} of thread ${thread.place}`,
    act: async () => {
      const engine = run.world.engine();
      await acknowledge(run, thread, await execNow(engine, thread, count));
    },
  };
}

async function execNow(engine, { threadId }, count) {
  const record = await engine.store.get(threadId);
  const signal = new AbortController().signal;
  return execThread(engine, record, { count, signal });
}

/** What a caller was told is kept for good. */
async function acknowledge(run, thread, report) {
  if (!report.ok || run.world.disk.isOff) return;
  for (const step of report.value.steps) thread.acknowledged.set(step.round, step.stateHash);
}

/** A runner that is frozen in the middle of a role, for longer than its lease, while another takes over. */
function frozen(run, thread) {
  return {
    name: `a frozen owner of thread ${thread.place}`,
    act: async () => {
      const engine = run.world.engine();
      const { promise: awake, resolve: wake } = Promise.withResolvers();
      const { promise: asleep, resolve: slept } = Promise.withResolvers();
      run.freeze = { awake, slept };
      const first = execNow(engine, thread, 2).catch((thrown) => ({ ok: false, error: thrown }));
      await Promise.race([asleep, first]);
      run.freeze = null;
      run.world.pass(LEASE_IS_OVER_MS);
      const second = await execNow(engine, thread, 1 + run.random.below(2)).catch((thrown) => ({
        ok: false,
        error: thrown,
      }));
      await acknowledge(run, thread, second);
      wake();
      const late = await first;
      const took = second.ok && second.value.steps.length > 0;
      if (took && late.ok && late.value.steps.length > 0 && !run.world.disk.isOff) {
        const both = late.value.steps.filter(
          ({ round, stateHash }) => thread.acknowledged.get(round) !== stateHash,
        );
        if (both.length > 0) run.problems.push(`two owners published step ${both[0].round}`);
      }
    },
  };
}

function fork(run, thread) {
  return {
    name: `fork thread ${thread.place}`,
    act: async () => {
      const engine = run.world.engine();
      const record = await engine.store.get(thread.threadId);
      const step = run.random.below(record.stepCount + 1);
      const from = { kind: "step", step };
      const options = { from, agent: null, limits: null, prompt: null, bundle: null, run: "idle" };
      const forked = await forkThread(engine, record, options);
      if (!forked.ok) return;
      const shared = [...thread.acknowledged].filter(([round]) => round <= step);
      remember(run, forked.value.thread.threadId, new Map(shared), true);
    },
  };
}

function poke(run, thread) {
  return {
    name: `poke thread ${thread.place}`,
    act: async () => {
      const engine = run.world.engine();
      const record = await engine.store.get(thread.threadId);
      const round = record.stepCount;
      thread.poked = true;
      // Until the answer comes the head is the old step or the new one.
      const old = thread.acknowledged.get(round);
      thread.acknowledged.delete(round);
      const signal = new AbortController().signal;
      const options = { prompt: "again", agent: null, signal };
      const poked = await pokeThread(engine, record, options).finally(() => {
        thread.poked = false;
      });
      if (run.world.disk.isOff) return;
      const head = poked.ok ? poked.value.head : old;
      if (head !== undefined) thread.acknowledged.set(round, head);
    },
  };
}

function collect(run) {
  const graceMs = run.random.oneOf([0, 60 * 60 * 1000]);
  return {
    name: `collect garbage, grace ${graceMs}`,
    act: async () => {
      await collectStorage(run.world.engine(), { dryRun: false, graceMs });
    },
  };
}

/** Plays a role. That it is asked for a step says that all before it are known to be done. */
async function agent(run, { threadId, round }) {
  const thread = run.threads.get(threadId);
  if (thread !== undefined && !thread.poked && thread.acknowledged.has(round)) {
    run.problems.push(`step ${round} of ${threadId} was played again`);
  }
  run.world.disk.operate("an agent works");
  if (run.freeze) {
    run.freeze.slept();
    await run.freeze.awake;
  }
  if (run.random.chance(0.3)) await run.world.quiet();
  // Not the thread's id, which is another one each time: the same seed makes the same blobs.
  return `thread ${thread?.place} step ${round}`;
}

async function check(run, when) {
  const { world, threads, problems } = run;
  const engine = world.engine();
  const found = (what) => problems.push(`${when}: ${what}`);
  const storage = await checkStorage(engine);
  if (!storage.ok) found(`fsck: ${JSON.stringify(storage.problems[0])}`);
  const rows = new Set(await world.rows());
  const finished = new Set();
  for (const thread of threads.values()) {
    const record = await engine.store.get(thread.threadId);
    if (record === null) {
      found(`thread ${thread.threadId} is gone`);
      continue;
    }
    const verified = await verifyThread(engine, record);
    if (!verified.ok) {
      found(`verify ${thread.threadId}: ${JSON.stringify(verified.problems[0])}`);
      continue;
    }
    const { steps } = await viewThread(engine, record);
    for (const [round, stateHash] of thread.acknowledged) {
      const now = steps[round - 1]?.stateHash;
      if (now !== stateHash)
        found(`step ${round} of ${thread.threadId} was ${stateHash}, is ${now}`);
    }
    if (FINAL.has(record.status)) finished.add(thread.threadId);
    // A fork has what it shares as the other thread has it.
    if (record.status === "running" || thread.isFork) continue;
    const row = steps.find(({ stateHash }) => rows.has(stateHash));
    if (row !== undefined)
      found(`${thread.threadId} does not run, and ${row.stateHash} is not a file`);
  }
  const { ended } = await engine.store.history();
  const told = new Set(ended.map(({ threadId }) => threadId));
  for (const threadId of finished) if (!told.has(threadId)) found(`no history of ${threadId}`);
}
