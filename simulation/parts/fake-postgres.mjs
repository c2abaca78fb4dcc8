/** A server and the network to it, in place of `pg`: its tables are SQLite's, its time is virtual, and messages are lost, late or
 *  doubled. What it does of PostgreSQL is what the client relies on: one transaction at a time (the lock of the root), marks that
 *  wait for a commit under way, transactions that end when nothing comes, and the function that publishes a step. */
import { DatabaseSync } from "node:sqlite";
import { BOOKING, MIGRATIONS, MOVES, SIGNAL_COLUMNS } from "@uncaged/workflow-store/backend";
import { after, now } from "./virtual-time.mjs";

const NOT_USUAL = "UWF01";
const IDLE_MS = 5_000;
const EPOCH_MS = 1_800_000_000_000;

/** Each `{ id, isDead, cutUntil }`, by the host of its URL. */
export const machines = new Map();
/** Set by the player: `fate()` says what becomes of a message. */
export const network = { fate: () => ({ kind: "fine", there: 1, back: 1 }) };
/** Names of migrations that the client has carried out; they are the same in each play. */
const migrated = [];

export const serverNow = () => EPOCH_MS + Math.floor(now());

const db = new DatabaseSync(":memory:");
for (const migration of MIGRATIONS) db.exec(migration);
db.exec(`CREATE TABLE ended (threadId TEXT PRIMARY KEY, finishedAt INTEGER, line TEXT);
  CREATE TABLE removed (threadId TEXT PRIMARY KEY, removedAt INTEGER);
  CREATE TABLE marks (mark TEXT PRIMARY KEY); CREATE TABLE moves (state TEXT, place TEXT)`);
const TABLES = db
  .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
  .all()
  .map(({ name }) => name);

/** Rows of the server, for whoever judges a play. */
export const rowsOf = (text, ...values) => db.prepare(text).all(...values);

let owner = null;
let waiting = [];

export function emptyServer() {
  if (owner !== null) db.exec("ROLLBACK");
  owner = null;
  waiting = [];
  machines.clear();
  for (const name of TABLES) db.exec(`DELETE FROM ${name}`);
}

/** Every connection breaks, and what was not committed is gone. */
export function restartServer() {
  for (const connection of new Set([owner, ...waiting.map(([each]) => each)])) connection?.close();
}

class Result {
  constructor(rows, rowCount = rows.length) {
    this.rows = rows;
    this.rowCount = rowCount;
  }
}

const broken = (code, message) => Object.assign(new Error(message), { code });

class Connection {
  isClosed = false;
  idle = 0;
  constructor(machine) {
    this.machine = machine;
  }

  on() {}
  off() {}

  /** As the client sees it. A dead one sees nothing any more. */
  query(given, values) {
    const { machine } = this;
    const query = typeof given === "string" ? { text: given, values } : given;
    return new Promise((resolve, reject) => {
      if (machine.isDead) return;
      const isCut = now() < machine.cutUntil;
      const fate = isCut ? { kind: "request lost", errorAfter: 2_000 } : network.fate();
      const answer = (settle) => (value) => {
        if (!machine.isDead) settle(value);
      };
      if (fate.kind !== "fine" && fate.kind !== "doubled") {
        after(fate.errorAfter, () => {
          this.isBroken = true;
          answer(reject)(broken("ECONNRESET", "Connection terminated unexpectedly"));
        });
        // The server hears of it later.
        after(fate.errorAfter + 3_000, () => this.close());
        if (fate.kind === "answer lost" || fate.kind === "late")
          after(fate.there, () =>
            this.arrive(
              query,
              () => {},
              () => {},
            ),
          );
        return;
      }
      const isAlone = owner !== this && !/^\s*BEGIN/u.test(query.text);
      after(fate.there, () => {
        if (this.isBroken) return;
        const back = (settle) => (value) =>
          after(fate.back, () => !this.isBroken && answer(settle)(value));
        this.arrive(query, back(resolve), back(reject));
      });
      // Only what is no part of a transaction: a connection numbers what it carries.
      if (fate.kind === "doubled" && isAlone)
        after(fate.there + fate.again, () =>
          new Connection(machine).arrive(
            query,
            () => {},
            () => {},
          ),
        );
    });
  }

  arrive(query, resolve, reject) {
    if (this.isClosed) return reject(broken("25P03", "terminating connection"));
    if (owner !== null && owner !== this) return void waiting.push([this, query, resolve, reject]);
    try {
      resolve(answerTo(this, query));
    } catch (cause) {
      reject(cause);
    }
    this.idle += 1;
    const { idle } = this;
    if (owner === this)
      after(IDLE_MS, () => {
        if (idle === this.idle) this.close();
      });
    goOn();
  }

  close() {
    this.isClosed = true;
    if (owner === this) {
      db.exec("ROLLBACK");
      owner = null;
    }
    waiting = waiting.filter(([connection]) => connection !== this);
    goOn();
  }

  release(isBroken) {
    if (isBroken && !this.machine.isDead) after(10, () => this.close());
  }
}

function goOn() {
  while (owner === null && waiting.length > 0) {
    const [connection, query, resolve, reject] = waiting.shift();
    connection.arrive(query, resolve, reject);
  }
}

function answerTo(connection, { text: asWritten, values = [], rowMode }) {
  // There is one root, so its tables need no schema.
  const text = asWritten.replaceAll(/\buncaged_\w+\.(?=marks|migrations|moves)/gu, "");
  const [, asked, end] = /^BEGIN;.*VALUES \('([^']+)'\).*(ROLLBACK|COMMIT)$/u.exec(text) ?? [];
  if (asked !== undefined) {
    const isThere = db.prepare("SELECT 1 FROM marks WHERE mark = ?").get(asked) !== undefined;
    // Only a client that is broken on purpose leaves it.
    if (!isThere && end === "COMMIT") db.prepare("INSERT INTO marks VALUES (?)").run(asked);
    return [new Result([]), new Result([], isThere ? 0 : 1), new Result([])];
  }
  const mark = /^\s*BEGIN;[\s\S]*INSERT INTO marks \(mark\) VALUES \('([^']+)'\)/u.exec(text)?.[1];
  if (mark !== undefined) {
    db.exec("BEGIN");
    owner = connection;
    db.prepare("INSERT INTO marks VALUES (?)").run(mark);
    return [new Result([{ nowMs: serverNow() }])];
  }
  if (text === "COMMIT" || text === "ROLLBACK") {
    if (owner === connection) {
      db.exec(text);
      owner = null;
    }
    return new Result([]);
  }
  if (/extract\(epoch FROM clock_timestamp/u.test(text))
    return new Result([{ nowMs: serverNow() }]);
  if (/to_regclass/u.test(text)) return new Result([{ known: migrated.length > 0 }]);
  if (text === "SELECT name FROM migrations") return new Result(migrated.map((name) => ({ name })));
  if (/^INSERT INTO migrations/u.test(text)) migrated.push(values[0]);
  if (/publish_many_\w+ \(\$1/u.test(text)) return published(manyOf(values));
  if (/publish_\w+ \(\$1/u.test(text)) return publishedOne(text, values);
  // Of a migration: the tables are there.
  if (/^\s*(?:BEGIN|CREATE|ALTER|--)|pg_advisory|pg_namespace|INTO migrations/u.test(text))
    return new Result([]);
  return plain(text, values, rowMode);
}

const prepared = new Map();

function plain(text, values, rowMode) {
  const key = `${rowMode} ${text}`;
  const statement = prepared.get(key) ?? db.prepare(inSqlite(text));
  prepared.set(key, statement);
  if (rowMode === "array") statement.setReturnArrays(true);
  if (statement.columns().length === 0)
    return new Result([], Number(statement.run(...values).changes));
  return new Result(statement.all(...values));
}

const inSqlite = (text) =>
  text
    .replaceAll(/\$(\d+)(?:::(?:double precision|\w+))?/gu, "?$1")
    .replaceAll(/as_json\(([\w.]+)\)/gu, "$1");

/** What the function of the server does; see tables/publish.ts. */
function publishedOne(text, [names, bytes, ...values]) {
  const order = [...text.matchAll(/\$\d+::/gu)].length - 2;
  if (values.length !== order) throw new Error("the function has other values");
  return new Result(publish(names, bytes, values));
}

const PUBLISHED = [
  "kind",
  "threadId",
  "fence",
  "from",
  "to",
  "toSha256",
  "nowMs",
  "bundleHash",
  "day",
  "role",
  "agent",
];
PUBLISHED.push(
  "model",
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "costUsd",
  "estimated",
  "startMs",
  "tokens",
);

function publish(names, bytes, values) {
  const given = Object.fromEntries(PUBLISHED.map((name, at) => [name, values[at]]));
  db.exec("SAVEPOINT step");
  try {
    for (const [at, name] of names.entries()) {
      const row = db.prepare("SELECT bytes FROM blobs WHERE name = ?").get(BigInt(name));
      if (row === undefined)
        db.prepare("INSERT INTO blobs (name, bytes) VALUES (?, ?)").run(BigInt(name), bytes[at]);
      else if (Buffer.compare(row.bytes, bytes[at]) !== 0) throw broken(NOT_USUAL, "other bytes");
    }
    if (given.kind === null) return [];
    if (named(MOVES[given.kind], given) !== 1) throw broken(NOT_USUAL, "the head did not move");
    if (given.day !== null) for (const text of BOOKING) named(text, given);
    const row = db
      .prepare(`SELECT ${SIGNAL_COLUMNS} FROM threads WHERE threadId = ?`)
      .get(given.threadId);
    return [{ ...row, hasBudget: false }];
  } catch (cause) {
    db.exec("ROLLBACK TO step");
    throw cause;
  } finally {
    db.exec("RELEASE step");
  }
}

function named(text, values) {
  const names = Array.from(text.matchAll(/:([a-zA-Z]\w*)/gu), ([, name]) => name);
  const statement = prepared.get(text) ?? db.prepare(text.replaceAll(/:([a-zA-Z]\w*)/gu, "?"));
  prepared.set(text, statement);
  return Number(statement.run(...names.map((name) => values[name])).changes);
}

function manyOf([names, bytes, counts, ...lists]) {
  let first = 0;
  return counts.map((count, at) => {
    const from = first;
    first += count;
    return [names.slice(from, first), bytes.slice(from, first), lists.map((list) => list[at])];
  });
}

function published(steps) {
  const rows = steps.flatMap((step, place) => {
    try {
      return publish(...step).map((row) => ({ place, done: true, ...row }));
    } catch (cause) {
      if (cause.code !== NOT_USUAL) throw cause;
      return [{ place, done: false }];
    }
  });
  return new Result(rows);
}

class Pool {
  constructor({ connectionString }) {
    this.machine = machines.get(new URL(connectionString).hostname);
  }
  on() {}
  connect() {
    const { machine } = this;
    return new Promise((resolve, reject) => {
      if (machine.isDead) return;
      if (now() < machine.cutUntil)
        after(1_000, () => reject(broken("ETIMEDOUT", "timeout expired")));
      else resolve(new Connection(machine));
    });
  }
  async query(query) {
    const connection = await this.connect();
    return connection.query(query);
  }
  async end() {}
}

const types = { builtins: { INT8: 20, NUMERIC: 1700 }, getTypeParser: () => String };
export default { Pool, Result, types };
