/** What a durable step costs when the root is in PostgreSQL, beside one bare statement of the same server.
 *
 *  1. The engine is the real one, driving a registered bundle in this process; only the role is trivial. Threads, blobs
 *     and queue are in PostgreSQL, its settings are the defaults: a commit is on disk.
 *  2. A step's time is all that the engine does between two calls of the role. The bare statement stores the same
 *     number of bytes and moves one row, in turns with it.
 *  3. Queries are counted where they are sent.
 *  4. Threads of one process share statements. What that gains is measured against the same steps one after the other.
 *  Bars: 2 × the statement; one statement a step; 64 threads 2 × the steps of one. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refsOf } from "@uncaged/workflow-cas";
import { startEmbeddedServer, stopEmbeddedServer } from "@uncaged/workflow-store-postgres";
import pg from "pg";
import { median } from "./parts/median.mjs";
import { openSteadyEngineInPostgres } from "./parts/postgres-engine.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { idleThread, makeSteps, successOf } from "./parts/steady-engine.mjs";

const ROUNDS = 5;
const STEPS = 300;
const WARM_UP = 20;
const THREADS = 64;
const STEPS_EACH = 50;

let queries = 0;

const folder = mkdtempSync(join(tmpdir(), "uwf-bench-"));
// A server that root starts runs as another user.
chmodSync(folder, 0o711);
const server = join(folder, "postgres");
try {
  await measure((await startEmbeddedServer({ folder: server })).url);
} finally {
  await stopEmbeddedServer({ folder: server });
  rmSync(folder, { recursive: true, force: true });
}

async function measure(url) {
  countQueries();
  const { engine, index, close } = await openSteadyEngineInPostgres(folder, url);
  const bare = await openBareStatement(url, await blobBytes(engine));
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { threadId } = await idleThread(engine);
    rounds.push(await timedSteps(engine, threadId, bare));
  }
  const of = (figure) => median(rounds.map(figure));
  printTable(`a step in PostgreSQL, ${ROUNDS} rounds of ${STEPS} steps in one process`, [
    { what: "median of a bare statement", figure: ms(of((round) => median(round.statements))) },
    {
      what: "median step",
      figure: ms(of((round) => median(round.steps))),
      ratio: of((round) => median(round.steps) / median(round.statements)),
      bar: "2 ×",
    },
    {
      what: "median of its queries",
      figure: String(of((round) => median(round.queries))),
      bar: "1",
    },
  ]);
  await sideBySide(index.threads, index.blobs);
  await bare.close();
  await close();
}

/** Steps of as many threads as are given at once, and of the same threads one after the other, in turns. */
async function sideBySide(threads, blobs) {
  const own = { pid: process.pid, startedAt: "0", bootId: "bench" };
  const all = [];
  for (let no = 0; no < THREADS; no += 1) {
    const threadId = `01HF00000000000000000000${String(no).padStart(2, "0")}`;
    const head = hashNo(no);
    const facts = { workflow: "w", bundleHash: head, startHash: head, head, headSha256: "0" };
    const place = { stepCount: 0, depth: 0, parentThread: null, cwd: "/", forkedFrom: null };
    await threads.create({ threadId, ...facts, ...place, startedAt: 1, createdAt: no }, null);
    const { fence } = await threads.acquire({
      ...{ threadId, process: own, ttlMs: 3_600_000, nowMs: Date.now(), replaces: null },
    });
    all.push({ threadId, fence, head });
  }
  let made = THREADS;
  const step = async (thread) => {
    made += 2;
    const [content, to] = [hashNo(made), hashNo(made + 1)];
    const rows = [content, to].map((hash) => ({ hash, bytes: Buffer.alloc(300, hash) }));
    const { threadId, fence, head: from } = thread;
    const move = { kind: "append", threadId, fence, from, to, toSha256: "0", nowMs: made };
    const { kind } = await blobs.write({ rows, replacing: [], move });
    if (kind !== "written") throw new Error(`a step of thread ${threadId} was not stored: ${kind}`);
    thread.head = to;
  };
  const rates = { alone: [], together: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.alone.push(
      await rateOf(
        async () => {
          for (const thread of all) for (let n = 0; n < STEPS_EACH / 10; n += 1) await step(thread);
        },
        (THREADS * STEPS_EACH) / 10,
      ),
    );
    rates.together.push(
      await rateOf(
        () =>
          Promise.all(
            all.map(async (thread) => {
              for (let n = 0; n < STEPS_EACH; n += 1) await step(thread);
            }),
          ),
        THREADS * STEPS_EACH,
      ),
    );
  }
  const gains = rates.together.map((rate, at) => rate / rates.alone[at]);
  printTable(`steps a second of ${THREADS} threads in one process, ${ROUNDS} rounds`, [
    { what: "one after the other", figure: median(rates.alone).toFixed(0) },
    {
      what: "at once, sharing statements",
      figure: median(rates.together).toFixed(0),
      ratio: median(gains),
      bar: "at least 2 ×",
    },
  ]);
}

async function rateOf(run, steps) {
  const beganAt = performance.now();
  await run();
  return (steps * 1_000) / (performance.now() - beganAt);
}

function hashNo(no) {
  return String(no).padStart(13, "0");
}

/** Milliseconds of each step, and of the bare statement that followed it; queries of each step. */
async function timedSteps(engine, threadId, bare) {
  const times = { steps: [], statements: [], queries: [] };
  let resumedAt = null;
  let before = 0;
  globalThis.betweenSteps = async () => {
    const stepDoneAt = performance.now();
    if (resumedAt !== null) {
      times.steps.push(stepDoneAt - resumedAt);
      times.queries.push(queries - before);
    }
    const beganAt = performance.now();
    await bare.once();
    before = queries;
    resumedAt = performance.now();
    times.statements.push(resumedAt - beganAt);
  };
  try {
    await makeSteps(engine, threadId, WARM_UP + STEPS);
  } finally {
    globalThis.betweenSteps = undefined;
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, all.slice(WARM_UP)]));
}

function countQueries() {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function counted(...args) {
    queries += 1;
    return query.apply(this, args);
  };
}

async function openBareStatement(url, sizes) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    CREATE TABLE heads (id int PRIMARY KEY, head text);
    INSERT INTO heads VALUES (1, '');
    CREATE TABLE bare (name bigint PRIMARY KEY, bytes bytea)`);
  const bytes = sizes.map((size) => Buffer.alloc(size, "x"));
  const text = `
    WITH stored AS (INSERT INTO bare VALUES ($1, $2), ($3, $4))
    UPDATE heads SET head = $5 WHERE id = 1`;
  let made = 0;
  return {
    once: () => {
      made += 1;
      const values = [2 * made, bytes[0], 2 * made + 1, bytes[1], String(made).padStart(13, "0")];
      return client.query({ name: "bare", text, values });
    },
    close: () => client.end(),
  };
}

/** What content and state of a step take, deep enough in a thread to have most of its ancestors. */
async function blobBytes(engine) {
  const { threadId } = await idleThread(engine);
  const { head } = await makeSteps(engine, threadId, 200);
  const state = await engine.cas.get(head);
  const [content] = successOf(refsOf(state));
  return [await engine.cas.get(content), state].map((text) => Buffer.byteLength(text));
}
