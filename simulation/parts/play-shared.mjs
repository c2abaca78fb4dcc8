/** Machines that share a root in PostgreSQL, by the compiled client, operations and heartbeat. Their agents, threads and the server
 *  are simulated. After a while of faults everything works, and all threads have to end. */
import { randomUUID } from "node:crypto";
import { hashBytes, sha256Hex } from "@uncaged/workflow-cas";
import { openPostgresIndex } from "@uncaged/workflow-store-postgres";
import {
  emptyServer,
  machines,
  network,
  restartServer,
  rowsOf,
  serverNow,
} from "./fake-postgres.mjs";
import { randomOf } from "./random.mjs";
import { after, begin, cancel, now, pass } from "./virtual-time.mjs";

const engine = import.meta.resolve("@uncaged/workflow-execute");
const { startHeartbeat } = await import(new URL("./keeper/heartbeat.js", engine).href);
const { FENCE_AFTER_MS, LEASE_TTL_MS } = await import(
  new URL("./keeper/lease-times.js", engine).href
);

const FAULTS_UNTIL_MS = 60_000;
const END_MS = 600_000;
/** What an owner may be told that is no fault of ours: the thread is another's, or the server is away. */
const isExpected = ({ code, message }) =>
  code === "LEASE_HELD" ||
  code === "LEASE_LOST" ||
  (code === "STORAGE_FAILED" &&
    /Connection terminated|timeout expired|terminating/u.test(message)) ||
  (code === "TRANSITION_INVALID" && message.includes("completed"));

export async function playShared(seed) {
  const random = randomOf(seed);
  Math.random = () => random.below(1_000_000) / 1_000_000;
  begin();
  emptyServer();
  const play = {
    random,
    problems: [],
    log: [],
    messages: 0,
    faults: 0,
    crashes: 0,
    /** Who is at work, by thread. */
    atWork: new Map(),
    /** Hashes of steps whose publication was acknowledged. */
    acknowledged: [],
    ends: 0,
    threads: [],
  };
  play.tell = (line) => play.log.push(`${(now() / 1000).toFixed(3).padStart(8)} s  ${line}`);
  network.fate = () => ({ kind: "fine", there: 1, back: 1 });
  await setUp(play);
  network.fate = () => fateOf(play);
  for (const name of ["one", "two", "three"]) {
    const skewMs = (random.below(121) - 60) * 1_000;
    const machine = { name, skewMs, cutUntil: 0, isDead: false, life: 0 };
    if (random.chance(0.7)) plan(play, machine);
    start(play, machine);
  }
  if (random.chance(0.3))
    after(random.below(FAULTS_UNTIL_MS), () => {
      play.tell("the server restarts");
      restartServer();
    });
  await pass(() => play.ends === play.threads.length || play.problems.length > 0, END_MS);
  for (const machine of machines.values()) machine.isDead = true;
  if (play.problems.length === 0) judge(play);
  const { problems, log, messages, faults, crashes, acknowledged } = play;
  return { problems, log, messages, faults, crashes, steps: acknowledged.length };
}

async function setUp(play) {
  machines.set("setup", { name: "setup", isDead: false, cutUntil: 0 });
  let isDone = false;
  const made = (async () => {
    const { threads } = await openPostgresIndex({ url: "postgres://setup/x", root: "sim" });
    for (let at = 0; at < 2 + play.random.below(2); at++) {
      const threadId = `01KAJ2Z6PVX000000000000${String(at).padStart(3, "0")}`;
      const start = node({ threadId, start: true });
      play.threads.push({ threadId, steps: 2 + play.random.below(3) });
      await threads.create(
        {
          threadId,
          workflow: "w",
          bundleHash: "0000000000000",
          startHash: start.hash,
          startSha256: start.sha256,
          head: start.hash,
          headSha256: start.sha256,
          stepCount: 0,
          depth: 0,
          parentThread: null,
          cwd: "/",
          prompt: "go",
          limits: null,
          agent: null,
          title: null,
          labels: {},
          forkedFrom: null,
          startedAt: 1,
          createdAt: 1,
          nowMs: 1,
        },
        null,
      );
    }
  })().then(
    () => (isDone = true),
    (cause) => {
      play.problems.push(`setting up: ${cause.stack}`);
      isDone = true;
    },
  );
  await pass(() => isDone, END_MS);
  await made;
}

function fateOf(play) {
  const { random } = play;
  play.messages += 1;
  const there = 1 + random.below(10);
  const back = 1 + random.below(10);
  if (now() > FAULTS_UNTIL_MS || !random.chance(0.08)) return { kind: "fine", there, back };
  play.faults += 1;
  const errorAfter = random.chance(0.5) ? 50 : 5_000;
  return random.oneOf([
    { kind: "request lost", errorAfter },
    { kind: "answer lost", there, errorAfter: there + errorAfter },
    // The client has given up when the server gets it.
    { kind: "late", there: errorAfter + random.below(4_000), errorAfter },
    { kind: "doubled", there, back, again: random.below(8_000) },
    { kind: "fine", there: random.below(6_000), back },
    { kind: "fine", there, back: 6_000 + random.below(6_000) },
  ]);
}

/** What happens to a machine while there are faults. */
function plan(play, machine) {
  const { random } = play;
  after(random.below(FAULTS_UNTIL_MS), () => {
    if (random.chance(0.5)) {
      const forMs = 1_000 + random.below(40_000);
      play.tell(`${machine.name} cannot reach the server for ${forMs} ms`);
      machine.cutUntil = now() + forMs;
      if (machine.at !== undefined) machine.at.cutUntil = machine.cutUntil;
    } else crash(play, machine);
  });
}

function crash(play, machine) {
  play.tell(`${machine.name} is killed`);
  play.crashes += 1;
  machine.at.isDead = true;
  machine.heartbeat?.stop();
  for (const [threadId, who] of play.atWork) if (who === machine.at) play.atWork.delete(threadId);
  after(500 + play.random.below(20_000), () => start(play, machine));
}

/** A process on a machine. */
function start(play, machine) {
  machine.life += 1;
  const id = `${machine.name}${machine.life}`;
  const at = { id, isDead: false, cutUntil: machine.cutUntil };
  machine.at = at;
  machines.set(id, at);
  void live(play, machine, at).catch((cause) => {
    if (at.isDead) return;
    if (isExpected(cause.failure ?? {})) after(1_000, () => start(play, machine));
    else play.problems.push(`${id}: ${cause.stack}`);
  });
}

const sleep = (ms) => new Promise((resolve) => after(ms, resolve));

async function live(play, machine, at) {
  const index = await openPostgresIndex({ url: `postgres://${at.id}/x`, root: "sim" });
  const clock = () => serverNow() + machine.skewMs;
  const process = {
    pid: 100 + machine.life,
    startedAt: `${machine.life}`,
    bootId: `b/n/${machine.name}`,
  };
  const held = new Map();
  const interrupt = ({ threadId, fence }) => held.get(`${threadId} ${fence}`)?.();
  const heartbeat = startHeartbeat({
    store: {
      renew: (request) => index.threads.renew(request),
      signals: async (ids) => ids.map(() => []),
    },
    now: clock,
    interrupt,
    fence: interrupt,
    monotonicMs: now,
  });
  machine.heartbeat = heartbeat;
  while (!at.isDead) {
    await sleep(500 + play.random.below(1_500));
    const open = await orNull(play, at, () => index.threads.list({ unfinished: true }));
    if (open === null || open.length === 0) continue;
    const { threadId } = play.random.oneOf(open);
    const askedAt = now();
    const lease = await orNull(play, at, () =>
      index.threads.acquire({
        threadId,
        process,
        ttlMs: LEASE_TTL_MS,
        nowMs: clock(),
        replaces: null,
      }),
    );
    if (lease === null || at.isDead) continue;
    const ageMs = now() - askedAt;
    // As in lease/with-lease.ts.
    if (ageMs >= FENCE_AFTER_MS) continue;
    heartbeat.keep(lease, ageMs);
    const ended = new Promise((resolve) =>
      held.set(`${threadId} ${lease.fence}`, () => resolve("ended")),
    );
    await orNull(play, at, () => carry(play, { index, at, clock, lease, ended }));
    held.delete(`${threadId} ${lease.fence}`);
    heartbeat.drop(lease);
  }
}

/** null: it was refused, and may be. */
async function orNull(play, at, act) {
  try {
    return await act();
  } catch (cause) {
    if (!at.isDead && !isExpected(cause.failure ?? {}))
      play.problems.push(`${at.id}: ${cause.stack}`);
    return null;
  }
}

/** A tenure: steps, each by an agent at work, until the thread ends or the lease is lost. */
async function carry(play, { index, at, clock, lease, ended }) {
  const { threadId, fence } = lease;
  const { steps } = play.threads.find((each) => each.threadId === threadId);
  const thread = await index.threads.get(threadId);
  let from = thread.head;
  for (let step = thread.stepCount; step < steps; step++) {
    if ((await work(play, { at, threadId, ended })) === "ended") return;
    const made = node({ threadId, step, from, by: at.id, id: randomUUID() });
    const move = {
      kind: "append",
      threadId,
      fence,
      from,
      to: made.hash,
      toSha256: made.sha256,
      nowMs: clock(),
      spent: {
        workflow: "w",
        role: "r",
        agent: "a",
        model: "m",
        usage: { inputTokens: 1, outputTokens: 0, cachedInputTokens: 0, costUsd: null },
      },
    };
    await index.blobs.write({ rows: [made], replacing: [], move });
    play.tell(`${at.id} published step ${step} of ${threadId.slice(-3)}`);
    play.acknowledged.push(made.hash);
    from = made.hash;
  }
  const end = node({ threadId, end: true, from, by: at.id });
  await index.blobs.write({ rows: [end], replacing: [], move: null });
  await index.threads.finish({
    threadId,
    fence,
    from,
    to: end.hash,
    toSha256: end.sha256,
    nowMs: clock(),
    status: "completed",
    returnCode: 0,
    summary: "",
  });
  play.ends += 1;
  play.tell(`${at.id} ended ${threadId.slice(-3)}`);
}

async function work(play, { at, threadId, ended }) {
  // As a role, whose signal is looked at before its agent begins.
  if ((await Promise.race([ended, "not yet"])) === "ended") return "ended";
  const other = play.atWork.get(threadId);
  if (other !== undefined)
    play.problems.push(`${at.id} works on ${threadId}, and so does ${other.id}`);
  play.atWork.set(threadId, at);
  play.tell(`${at.id} works on ${threadId.slice(-3)}`);
  let timer;
  const done = new Promise((resolve) => {
    timer = after(500 + play.random.below(15_000), () => resolve("done"));
  });
  const how = await Promise.race([done, ended]);
  cancel(timer);
  if (play.atWork.get(threadId) === at) play.atWork.delete(threadId);
  if (how === "ended") play.tell(`${at.id} lost ${threadId.slice(-3)}`);
  return how;
}

function node(content) {
  const bytes = Buffer.from(JSON.stringify(content));
  return { hash: hashBytes(bytes), sha256: sha256Hex(bytes), bytes };
}

/** Everything that was acknowledged is in a chain, every chain is whole, and each of its steps was booked once. */
function judge(play) {
  const blobs = new Map(
    rowsOf("SELECT bytes FROM blobs").map(({ bytes }) => [
      hashBytes(Buffer.from(bytes)),
      JSON.parse(Buffer.from(bytes)),
    ]),
  );
  const inChains = new Set();
  for (const { threadId, steps } of play.threads) {
    const [row] = rowsOf("SELECT * FROM threads WHERE threadId = ?", threadId);
    if (row.status !== "completed") play.problems.push(`${threadId} is ${row.status}`);
    if (row.stepCount !== steps)
      play.problems.push(`${threadId} has ${row.stepCount} steps instead of ${steps}`);
    let expected = steps;
    for (let at = blobs.get(row.head); at?.from !== undefined; at = blobs.get(at.from)) {
      if (at.step !== undefined && at.step !== expected)
        play.problems.push(`${threadId}: step ${at.step} is where ${expected} should be`);
      expected -= 1;
      inChains.add(at.from);
    }
    if (expected !== -1)
      play.problems.push(`the chain of ${threadId} breaks off at step ${expected}`);
  }
  for (const hash of play.acknowledged)
    if (!inChains.has(hash)) play.problems.push(`the acknowledged step ${hash} is lost`);
  const [{ runs }] = rowsOf("SELECT coalesce(sum(runs), 0) AS runs FROM spent");
  const all = play.threads.reduce((sum, { steps }) => sum + steps, 0);
  if (runs !== all) play.problems.push(`${runs} runs were booked for ${all} steps`);
}
