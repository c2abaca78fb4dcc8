/** What a durable step costs when the root is in PostgreSQL, beside one bare statement of the same server.
 *
 *  1. The engine is the real one, driving a registered bundle in this process; only the role is trivial. Threads, blobs
 *     and queue are in PostgreSQL, its settings are the defaults: a commit is on disk.
 *  2. A step's time is all that the engine does between two calls of the role. The bare statement stores the same
 *     number of bytes and moves one row, in turns with it.
 *  3. Queries are counted where they are sent.
 *  Bars: 2 × the statement; one statement a step. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRootStore, refsOf } from "@uncaged/workflow-cas";
import {
  openPostgresIndex,
  startEmbeddedServer,
  stopEmbeddedServer,
} from "@uncaged/workflow-store-postgres";
import pg from "pg";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { idleThread, makeSteps, openSteadyEngine, successOf } from "./parts/steady-engine.mjs";

const ROUNDS = 5;
const STEPS = 300;
const WARM_UP = 20;
const BEAT_MS = 5_000;

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
  const local = await openSteadyEngine(folder, { store: "packed" });
  const { threads, blobs, dispatch } = await openPostgresIndex({ url, root: "bench" });
  const dir = join(folder, "cas");
  mkdirSync(dir);
  const cas = openRootStore({ dir, table: blobs, threads, kind: "packed" });
  const engine = { ...local, cas, dispatch, store: threads, keeper: beating(threads) };
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
  await bare.close();
  await threads.close();
  await local.store.close();
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

/** A keeper in this process: leases in PostgreSQL are renewed over its own connections. */
function beating(threads) {
  return {
    keep: ({ lease }) => {
      const renew = () =>
        threads.renew({ leases: [lease], ttlMs: 3 * BEAT_MS, nowMs: Date.now() }).catch(() => {});
      const timer = setInterval(renew, BEAT_MS);
      return { stop: () => clearInterval(timer), fault: () => null };
    },
    close: async () => {},
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
