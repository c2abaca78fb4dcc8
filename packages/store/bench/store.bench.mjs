/** Cost of the index: publishing a step, compared with a bare one-row transaction of the same durability, alternating
 *  in the same run; and reads with few and with many threads.
 *
 *  Bars: `advance` at most 1.5 times the bare transaction; listing 10,000 threads is one query. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openThreadStore } from "@uncaged/workflow-store";

const ROUNDS = 200;
const STEPS = 10;
const READS = 20;
const MANY = 10_000;
const self = { pid: process.pid, startedAt: "0", bootId: "bench" };
const folder = mkdtempSync(join(tmpdir(), "store-bench-"));

try {
  await durable();
  await reading();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The kinds alternate, so that a noisy neighbour affects all of them equally. */
async function durable() {
  const flush = bareFlush();
  const bare = bareTransaction();
  const store = await openThreadStore(join(folder, "durable"));
  const threads = [];
  for (let no = 0; no <= ROUNDS * STEPS; no += 1) threads.push(await owned(store, no));
  const [thread, ...unfinished] = threads;
  // Both logs have grown to full size: flushing a log that still grows costs more.
  await perCall(2 * threads.length, bare.once);
  const kinds = [
    { name: "flush of 4 KiB appended to a file", run: flush.once, costs: [] },
    { name: "bare one-row transaction", run: bare.once, costs: [] },
    { name: "advance (publish a step)", run: thread.advance, costs: [] },
    { name: "renew (heartbeat)", run: thread.renew, costs: [] },
    {
      name: "finish (end, history, status, release)",
      run: () => unfinished.pop().finish(),
      costs: [],
    },
  ];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of kinds) kind.costs.push(await perCall(STEPS, kind.run));
  }
  flush.close();
  bare.close();
  await store.close();
  const base = median(kinds[1].costs);
  table(
    "one durable change, median",
    kinds.map(({ name, costs }) => row(name, median(costs), base)),
  );
}

async function reading() {
  const small = await filled(10);
  const large = await filled(MANY);
  const reads = [
    ["open", async ({ root }) => (await openThreadStore(root)).close()],
    ["list all", ({ store }) => store.list({})],
    ["list the newest 20", ({ store }) => store.list({ limit: 20 })],
    ["list those with an owner", ({ store }) => store.list({ withLease: true })],
    ["match a suffix", ({ store }) => store.match("BENCH0007", 6)],
    ["get one", ({ store, ids }) => store.get(ids[7])],
    ["its signals", ({ store, ids }) => store.signals([ids[7]])],
    ["roots of all", ({ store }) => store.roots()],
  ];
  const rows = [];
  for (const [name, read] of reads) {
    const few = await repeated(() => read(small));
    const many = await repeated(() => read(large));
    rows.push([name, `${few.toFixed(3)} ms`, `${many.toFixed(3)} ms`]);
  }
  await small.store.close();
  await large.store.close();
  table(`reading, 10 threads and ${MANY}, median`, rows);
}

function bareFlush() {
  const fd = openSync(join(folder, "flushed"), "w");
  const page = Buffer.alloc(4_096, 1);
  const once = () => {
    writeSync(fd, page);
    fdatasyncSync(fd);
  };
  return { once, close: () => closeSync(fd) };
}

function bareTransaction() {
  const db = new DatabaseSync(join(folder, "bare.db"));
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  db.exec(
    "CREATE TABLE heads (id INTEGER PRIMARY KEY, head TEXT); INSERT INTO heads VALUES (1, '')",
  );
  const [begin, update, commit] = [
    "BEGIN IMMEDIATE",
    "UPDATE heads SET head = ? WHERE id = 1",
    "COMMIT",
  ].map((sql) => db.prepare(sql));
  let n = 0;
  const once = () => {
    n += 1;
    begin.run();
    update.run(hash(n));
    commit.run();
  };
  return { once, close: () => db.close() };
}

async function owned(store, no) {
  const { threadId } = (await store.create(newThread(no), null)).thread;
  const request = { threadId, process: self, ttlMs: 60_000, nowMs: Date.now(), replaces: null };
  const { fence } = await store.acquire(request);
  let n = 0;
  let laterMs = Date.now();
  const beat = () => {
    laterMs += 1; // SQLite writes nothing when a row does not change
    return { leases: [{ threadId, fence }], ttlMs: 60_000, nowMs: laterMs };
  };
  const move = () => {
    n += 1;
    const toSha256 = "0".repeat(64);
    const [from, to] = [hash(n - 1), hash(n)];
    return { kind: "append", threadId, fence, from, to, toSha256, nowMs: Date.now() };
  };
  const end = { status: "completed", returnCode: 0, summary: "All tests pass." };
  return {
    advance: () => store.advance(move()),
    renew: () => store.renew(beat()),
    finish: () => store.finish({ ...move(), ...end }),
  };
}

/** A storage root with this many threads, inserted directly in one transaction. */
async function filled(threads) {
  const root = join(folder, `filled-${threads}`);
  const store = await openThreadStore(root);
  const { threadId } = (await store.create(newThread(0), null)).thread;
  const db = new DatabaseSync(join(root, "index.db"));
  const columns = db.prepare("SELECT name FROM pragma_table_info('threads')").all();
  const names = columns.map(({ name }) => name);
  const template = db.prepare("SELECT * FROM threads WHERE threadId = ?").get(threadId);
  const insert = db.prepare(
    `INSERT INTO threads (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  );
  const ids = [threadId];
  db.exec("BEGIN");
  for (let no = 1; no < threads; no += 1) {
    const { threadId: id, createdAt } = newThread(no);
    const threadIdReversed = [...id].reverse().join("");
    const copy = { ...template, threadId: id, threadIdReversed, createdAt };
    insert.run(...names.map((name) => copy[name]));
    ids.push(id);
  }
  db.exec("COMMIT");
  db.close();
  for (const id of ids.slice(0, 5)) {
    await store.acquire({ threadId: id, process: self, ttlMs: 60_000, nowMs: 1, replaces: null });
  }
  return { root, store, ids };
}

function newThread(no) {
  return {
    threadId: `01HFBENCH0${String(no).padStart(7, "0")}BENCH${String(no % 10_000).padStart(4, "0")}`,
    workflow: "solve-issue",
    bundleHash: hash(1),
    startHash: hash(0),
    head: hash(0),
    headSha256: "0".repeat(64),
    stepCount: 0,
    depth: 0,
    parentThread: null,
    cwd: "/home/someone/projects/a-repository",
    forkedFrom: null,
    startedAt: 1_700_000_000_000 + no,
    createdAt: 1_700_000_000_000 + no,
  };
}

function hash(n) {
  return `C${String(n).padStart(12, "0")}`;
}

/** Milliseconds per call, averaged over many. */
async function perCall(times, call) {
  const begun = performance.now();
  for (let n = 0; n < times; n += 1) await call();
  return (performance.now() - begun) / times;
}

async function repeated(call) {
  const costs = [];
  for (let n = 0; n < READS; n += 1) costs.push(await perCall(1, call));
  return median(costs);
}

function median(costs) {
  return [...costs].sort((a, b) => a - b)[Math.floor(costs.length / 2)];
}

function row(name, costMs, baseMs) {
  return [name, `${costMs.toFixed(3)} ms`, `${(costMs / baseMs).toFixed(2)} ×`];
}

function table(title, rows) {
  console.log(`\n${title}`);
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, ...cells] of rows) {
    console.log(`  ${name.padEnd(width)}  ${cells.map((cell) => cell.padStart(11)).join("  ")}`);
  }
}
