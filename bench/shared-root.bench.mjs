/** What a shared root asks of its server: statements, rows and bytes, by the built command on a real PostgreSQL, counted by
 *  the server itself (pg_stat_statements, its log's position, the sizes of its tables). No times, so there is nothing to
 *  compare with: docs/operating-a-team.md reckons with these figures.
 *
 *  1. A worker without work, then with threads that wait for their agents: what it asks each second, and its connections.
 *  2. Threads of one step and of many, on the same worker. The difference is what a step costs, the rest is the thread's.
 *     What the worker asks anyway is subtracted. */
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startEmbeddedServer, stopEmbeddedServer } from "@uncaged/workflow-store-postgres";
import pg from "pg";
import { COMMAND, timedNode } from "./parts/command.mjs";
import { printTable } from "./parts/print-table.mjs";

const WATCH_MS = 20_000;
const THREADS = 20;
const STEPS = 51;
const { values } = parseArgs({
  options: { waiting: { type: "string" }, statements: { type: "boolean" } },
});
/** `--waiting n` changes how many; `--statements` also prints which were asked most. */
const WAITING = Number(values.waiting ?? 50);
const PLAN = { waitMs: 200, says: 10, answerBytes: 2_000 };
const WORKFLOW = fileURLToPath(new URL("workflow/talker.mjs", import.meta.url));
const SCHEMA = "uncaged_bench";
const SETTINGS = {
  shared_preload_libraries: "pg_stat_statements",
  // Else each page is in the log as a whole once more after each checkpoint, which is a matter of settings.
  checkpoint_timeout: "1h",
  max_wal_size: "10GB",
};

/** The program's, at the top: what a function of it does inside is its own. */
const ASKED = `pg_stat_statements WHERE toplevel AND query NOT LIKE '%pg_stat_%' AND query NOT LIKE '%pg_total_relation_size%'
  AND query NOT LIKE '%pg_current_wal%' AND query NOT LIKE '%count(*) AS it%'`;

const folder = mkdtempSync(join(tmpdir(), "uwf-bench-"));
// A server that root starts runs as another user.
chmodSync(folder, 0o711);
const place = { folder: join(folder, "postgres"), settings: SETTINGS };
const root = join(folder, "root");
const command = (words) => timedNode([COMMAND, "--json", ...words], { root });
let client;
let worker;
/** The most connections that it was seen to have at work. */
let most = 0;
try {
  const { url } = await startEmbeddedServer(place);
  client = new pg.Client({ connectionString: url });
  await client.connect();
  await measure(url);
} finally {
  worker?.kill("SIGTERM");
  if (worker !== undefined && worker.exitCode === null)
    await new Promise((ended) => worker.once("exit", ended));
  await client?.end();
  await stopEmbeddedServer(place);
  rmSync(folder, { recursive: true, force: true });
}

async function measure(url) {
  await client.query("CREATE EXTENSION pg_stat_statements");
  command(["root", "init", "--postgres", url, "--name", "bench"]);
  const bundle = join(folder, "talker.esm.js");
  command(["workflow", "build", WORKFLOW, "--out", bundle]);
  command(["workflow", "add", "talker", bundle]);
  worker = await up();

  const idle = await whileWatched(() => sleep(WATCH_MS));
  const alone = await connections();
  const waiting = startAll(WAITING, { ...PLAN, steps: 1, waitMs: 3_600_000, says: 0 });
  await untilCount("running", WAITING);
  const busy = await whileWatched(() => sleep(WATCH_MS));
  const together = await connections();
  printTable(`a worker, ${WATCH_MS / 1_000} s`, [
    { what: "statements a second, without work", figure: rate(idle).toFixed(2) },
    {
      what: `statements a second, ${WAITING} threads of one version wait for their agents`,
      figure: rate(busy).toFixed(2),
    },
    { what: "bytes of log a second, without work", figure: perSecond(idle, "log").toFixed(0) },
    { what: `the same, ${WAITING} threads wait`, figure: perSecond(busy, "log").toFixed(0) },
    { what: "connections, without work", figure: String(alone) },
    { what: `connections, ${WAITING} threads of one version`, figure: String(together) },
  ]);
  for (const threadId of waiting) command(["thread", "kill", threadId]);
  most = 0;

  const short = await whileWatched(() => runAll(1));
  const long = await whileWatched(() => runAll(STEPS));
  const own = (of, figure) => of[figure] - (of.ms / 1_000) * perSecond(idle, figure);
  const step = (figure) => (own(long, figure) - own(short, figure)) / (THREADS * (STEPS - 1));
  const thread = (figure) => own(short, figure) / THREADS - step(figure);
  const row = (what, figure) => ({
    what,
    figure: `${step(figure).toFixed(2)} a step, ${thread(figure).toFixed(1)} a thread besides`,
  });
  printTable(
    `${THREADS} threads of ${STEPS} steps and as many of one; an answer of ${PLAN.answerBytes} bytes, ${PLAN.says * 200} bytes said meanwhile`,
    [
      row("statements", "statements"),
      row("bytes of log", "log"),
      row("bytes of tables and indexes", "bytes"),
      row("of these, what was said meanwhile", "live"),
      row("rows", "rows"),
      { what: "connections of the worker, at most", figure: String(most) },
    ],
  );
  const grown = Object.entries(long.tables)
    .map(([name, rows]) => [name, (rows - short.tables[name]) / (THREADS * (STEPS - 1))])
    .filter(([, rows]) => rows >= 0.005);
  printTable(
    "rows a step, by table",
    grown.map(([name, rows]) => ({ what: name, figure: rows.toFixed(2) })),
  );
  if (values.statements !== true) return;
  for (const [title, { top }] of Object.entries({ "without work": idle, waiting: busy, long }))
    printTable(
      `asked most: ${title}`,
      top.map(({ calls, query }) => ({ what: query, figure: calls })),
    );
}

/** What the server did meanwhile. */
async function whileWatched(act) {
  await client.query("SELECT pg_stat_statements_reset()");
  const before = await state();
  await act();
  const after = await state();
  const counted = await ask(`SELECT coalesce(sum(calls), 0) AS it FROM ${ASKED}`);
  const { rows: top } = await client.query(
    `SELECT calls, left(regexp_replace(query, '\\s+', ' ', 'g'), 90) AS query FROM ${ASKED} ORDER BY calls DESC LIMIT 12`,
  );
  const tables = Object.fromEntries(
    Object.entries(after.tables).map(([name, rows]) => [name, rows - before.tables[name]]),
  );
  return {
    ms: after.atMs - before.atMs,
    statements: Number(counted),
    log: after.log - before.log,
    bytes: after.bytes - before.bytes,
    live: after.live - before.live,
    rows: Object.values(tables).reduce((sum, rows) => sum + rows, 0),
    tables,
    top,
  };
}

async function state() {
  const sizes = (
    names,
  ) => `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS it FROM pg_class
    WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'r' AND relname LIKE '${names}'`;
  const names = await client.query(
    `SELECT relname FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'r'`,
  );
  const tables = {};
  for (const { relname } of names.rows)
    tables[relname] = Number(await ask(`SELECT count(*) AS it FROM ${SCHEMA}.${relname}`));
  return {
    atMs: performance.now(),
    log: Number(await ask("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint AS it")),
    bytes: Number(await ask(sizes("%"))),
    live: Number(await ask(sizes("live%"))),
    tables,
  };
}

async function ask(text) {
  const { rows } = await client.query(text);
  return rows[0].it;
}

/** Of the worker and its processes, without ours. */
async function connections() {
  return Number(
    await ask(
      "SELECT count(*) AS it FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    ),
  );
}

async function runAll(steps) {
  const before = await countOf("completed");
  startAll(THREADS, { ...PLAN, steps });
  await untilCount("completed", before + THREADS);
}

function startAll(count, plan) {
  const words = ["run", "talker", "--queue", "--prompt", JSON.stringify(plan), "--cwd", folder];
  return Array.from({ length: count }, () => JSON.parse(command(words).stdout).threadId);
}

async function untilCount(status, count) {
  while ((await countOf(status)) < count) {
    most = Math.max(most, await connections());
    await sleep(100);
  }
}

async function countOf(status) {
  return Number(
    await ask(`SELECT count(*) AS it FROM ${SCHEMA}.threads WHERE status = '${status}'`),
  );
}

function perSecond(watched, figure) {
  return (watched[figure] * 1_000) / watched.ms;
}

function rate(watched) {
  return perSecond(watched, "statements");
}

async function up() {
  const env = { PATH: process.env.PATH, HOME: root, WORKFLOW_STORAGE_ROOT: root };
  const words = ["--json", "worker", "start", "--pool", "default"];
  const child = spawn(process.execPath, [COMMAND, ...words], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return child;
}
