import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { tryLockFile } from "@uncaged/workflow-store";
import { openDatabase } from "@uncaged/workflow-store-postgres";
import { testRoot } from "@uncaged/workflow-store-postgres/testing";
import { newThreadId, ownIdentity, storagePaths } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { initRoot } from "../place/init-root.ts";
import {
  addThread,
  BUNDLE,
  ENDING,
  STEPS,
  sampleRoot,
} from "../provenance/sample-root.test.helper.ts";
import { checkStorage } from "../storage/check-storage.ts";
import type { Engine } from "../storage/engine.ts";
import { openEngine } from "../storage/open-engine.ts";
import { verifyThread } from "../verify/verify-thread.ts";
import { moveRoot, type RootToMove } from "./move-root.ts";

let dir = "";
let root = "";
let server: { url: string; root: string };
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "move-"));
  root = join(dir, "root");
  server = await testRoot();
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function opened<T>(use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine({ root, packagesBase: import.meta.url });
  try {
    return await use(engine);
  } finally {
    await engine.store.close();
  }
}

const toPostgres = (more: Partial<RootToMove> = {}) =>
  moveRoot({ root, to: server.url, name: server.root, s3: null, dryRun: false, ...more });
const toFolder = (more: Partial<RootToMove> = {}) =>
  moveRoot({ root, to: root, name: "main", s3: null, dryRun: false, ...more });

async function done(move: ReturnType<typeof moveRoot>) {
  const result = await move;
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** The folder keeps what the root was; a person removes it. */
async function removeFormer(): Promise<void> {
  const { index, moveMark, cas } = storagePaths(root);
  for (const path of [index, `${index}-wal`, `${index}-shm`, moveMark, cas])
    await rm(path, { recursive: true, force: true });
}

/** A thread of every status, and what else the ports have. */
async function fill(): Promise<void> {
  await opened(async () => {});
  // Called only for the bundle, which it stores on disk.
  await sampleRoot(root);
  await opened(async ({ cas, store, dispatch, live, registry }) => {
    const nowMs = Date.now();
    let made = 0;
    const add = async (steps = STEPS): Promise<string> => {
      made += 1;
      const threadId = newThreadId(nowMs + made);
      await addThread({ cas, store }, { threadId, steps, parent: null });
      return threadId;
    };
    const own = (threadId: string, ttlMs = 60_000) =>
      store.acquire({ threadId, process: ownIdentity(), ttlMs, nowMs: Date.now(), replaces: null });
    await add([...STEPS, ENDING]);
    await add();
    const paused = await own(await add());
    await store.signal(paused.threadId, "pause", nowMs);
    await store.release({ ...paused, nowMs, to: { status: "paused" } });
    const asking = await own(await add());
    const waits = [{ role: "coder", message: "which \0 colour, ö or 🟥?" }] as const;
    await store.release({ ...asking, nowMs, to: { status: "suspended", waits } });
    const job = { threadId: await add(), replaces: null, for: null, notBefore: null, nowMs };
    await dispatch.want(job);
    // Its owner has not renewed in time: it goes on where the root is then.
    const silent = await own(await add(), 1);
    const { threadId } = silent;
    const writer = live.writer(silent);
    for (let at = 0; at < 450; at += 1) {
      const event = { type: "text", text: `line ${at}\n` } as const;
      writer.append({ threadId, timestamp: nowMs, role: "coder", round: 1, type: "agent", event });
    }
    writer.close();
    await live.flush(threadId);
    await store.label({ threadId, set: { team: "a" }, unset: [] });
    await store.remove({ threadId: await add([...STEPS, ENDING]), replaces: null, nowMs });
    await store.listen(["desk"]);
    await dispatch.pause(nowMs);
    await cas.put("long ".repeat(80_000));
    const { hash, sha256 } = BUNDLE;
    for (const [timestamp, digest] of [sha256, "b".repeat(64), sha256].entries())
      await registry.register({ name: "sample", version: { hash, sha256: digest, timestamp } });
  });
}

/** All that somebody can see of a root by its ports. */
function seen() {
  return opened(async (engine) => {
    const { store, cas, dispatch, registry, live } = engine;
    const threads = await store.list({});
    const proofs = await Promise.all(threads.map((thread) => verifyThread(engine, thread)));
    const workflows = await registry.workflows();
    const said: Record<string, unknown[]> = {};
    for (const { threadId } of threads) {
      const { signal } = new AbortController();
      said[threadId] = [];
      for await (const item of live.read(threadId, { after: 0, until: "end", signal }))
        said[threadId]?.push(item);
    }
    const { ended, lastRemovalAt } = await store.history();
    return {
      threads,
      verified: proofs.map(({ ok }) => ok),
      sound: (await checkStorage(engine)).ok,
      blobs: await cas.list(),
      roots: await store.roots(),
      queue: await dispatch.list(),
      limits: await dispatch.limits(),
      closed: await dispatch.pausedSince(),
      notices: await store.notices({}),
      workflows: workflows.ok ? [...workflows.value] : workflows.error,
      history: {
        ended: ended.toSorted((a, b) => (a.threadId < b.threadId ? -1 : 1)),
        lastRemovalAt,
      },
      said,
    };
  });
}

it("moves to PostgreSQL and back, and nothing can be told from what it was", async () => {
  await fill();
  const before = await seen();
  expect(before.verified).not.toContain(false);
  const there = await done(toPostgres());
  expect(there).toMatchObject({ threads: before.threads.length, resumed: false, bundles: 1 });
  expect(existsSync(storagePaths(root).place)).toBe(true);
  expect(await seen()).toEqual(before);
  await removeFormer();
  await rm(storagePaths(root).bundles, { recursive: true });
  const back = await done(toFolder());
  expect(back.rows).toEqual(there.rows);
  expect(existsSync(storagePaths(root).place)).toBe(false);
  expect(await seen()).toEqual(before);
});

/** The rows of every table, as SQLite has them. */
async function rawRows(): Promise<Record<string, unknown[]>> {
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(storagePaths(root).index, { readOnly: true });
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => name !== "blobs" && name !== "asideBlobs");
    return Object.fromEntries(
      tables.map((name) => [
        name,
        db
          .prepare(`SELECT * FROM ${name}`)
          .all()
          .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      ]),
    );
  } finally {
    db.close();
  }
}

it("moves every column of every table", async () => {
  await fill();
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(storagePaths(root).index);
  for (const [name, rows] of Object.entries(await rawRows())) {
    if (rows.length > 0) continue;
    const columns = db.prepare(`PRAGMA table_info(${name})`).all();
    const values = columns.map(
      ({ type }) => ({ INTEGER: "1", REAL: "0.1", TEXT: "'ö'" })[`${type}`],
    );
    db.exec(`INSERT INTO ${name} VALUES (${values.join(", ")})`);
  }
  db.close();
  const before = await rawRows();
  for (const rows of Object.values(before)) expect(rows).not.toEqual([]);
  await done(toPostgres());
  const database = await openDatabase(server);
  const next = await database.query("add a message", {
    text: `WITH added AS (INSERT INTO taskMessages (repository, id, type, attempt, toState, at)
      VALUES ('r', 'i', 't', 1, 's', 1) RETURNING seq) SELECT seq FROM added`,
  });
  expect(next.rows).toEqual([{ seq: 2 }]);
  await database.query("take it back", { text: "DELETE FROM taskMessages WHERE seq = 2" });
  await database.close();
  await removeFormer();
  await done(toFolder());
  expect(await rawRows()).toEqual(before);
});

// Dozens of whole moves.
it("goes on after it was ended before any of its writes, in both directions", async () => {
  await fill();
  const before = await seen();
  for (const move of [toPostgres, toFolder]) {
    if (move === toFolder) await removeFormer();
    let ended = 0;
    while (true) {
      let left = ended;
      const effect = () => {
        if (left === 0) throw new Error("killed");
        left -= 1;
      };
      const result = await move({ effect });
      if (result.ok) break;
      expect(result.error.message).toContain("killed");
      ended += 1;
    }
    expect(ended).toBeGreaterThan(20);
    expect(await seen()).toEqual(before);
  }
}, 120_000);

describe("a move", () => {
  it("is refused while a thread runs or a host is up, and leaves everything as it was", async () => {
    await fill();
    const lease = await opened(async ({ store }) => {
      const [idle] = (await store.list({ unfinished: true })).filter(
        ({ status }) => status === "idle",
      );
      const threadId = idle?.threadId ?? "";
      const nowMs = Date.now();
      return store.acquire({
        threadId,
        process: ownIdentity(),
        ttlMs: 60_000,
        nowMs,
        replaces: null,
      });
    });
    const before = await rawRows();
    expect(await toPostgres()).toMatchObject({
      error: { code: "LEASE_HELD", message: expect.stringContaining(lease.threadId) },
    });
    expect(await toPostgres({ dryRun: true })).toMatchObject({ error: { code: "LEASE_HELD" } });
    await opened(({ store }) =>
      store.release({ ...lease, nowMs: Date.now(), to: { status: "idle" } }),
    );
    const host = await tryLockFile(storagePaths(root).hostLock);
    expect(await toPostgres()).toMatchObject({ error: { code: "HOST_RUNNING" } });
    host?.release();
    expect(Object.keys(before)).toEqual(Object.keys(await rawRows()));
    await done(toPostgres());
  });

  it("only counts in a dry run", async () => {
    await fill();
    const counted = await done(toPostgres({ dryRun: true }));
    expect(existsSync(storagePaths(root).moveMark)).toBe(false);
    const { resumed: _, ...there } = await done(toPostgres());
    expect({ ...counted, resumed: false }).toMatchObject(there);
  });

  it("leaves a folder that says where its root went, and that nobody who has it open can change", async () => {
    await fill();
    const before = await rawRows();
    const open = await openEngine({ root, packagesBase: import.meta.url });
    await done(toPostgres());
    const [thread] = await open.store.list({});
    const threadId = thread?.threadId ?? "";
    await expect(open.store.label({ threadId, set: { a: "b" }, unset: [] })).rejects.toThrow(
      "was moved",
    );
    await open.store.close();
    expect(await rawRows()).toEqual(before);
    await rm(storagePaths(root).place);
    await expect(opened(async () => {})).rejects.toMatchObject({
      failure: { code: "STORAGE_MOVED", message: expect.stringContaining(server.root) },
    });
    // Somebody takes it back.
    await rm(storagePaths(root).moveMark);
    await opened(({ store }) => store.label({ threadId, set: { a: "b" }, unset: [] }));
  });

  it("leaves a root in PostgreSQL that says where it went, and that nobody who has it open can change", async () => {
    await fill();
    await done(toPostgres());
    await removeFormer();
    const open = await openEngine({ root, packagesBase: import.meta.url });
    await done(toFolder());
    await expect(open.store.listen(["other"])).rejects.toMatchObject({
      failure: { code: "STORAGE_MOVED", message: expect.stringContaining(hostname()) },
    });
    await open.store.close();
    const other = join(dir, "other");
    expect(
      await initRoot({ root: other, postgres: server.url, name: server.root, s3: null }),
    ).toMatchObject({
      error: { code: "STORAGE_MOVED" },
    });
    expect(await toPostgres()).toMatchObject({ error: { code: "TARGET_EXISTS" } });
  });

  it("is refused where something else is, and lets nobody use what is not whole", async () => {
    await fill();
    const here = root;
    root = join(dir, "second");
    await fill();
    let left = 3;
    const effect = () => {
      if (left === 0) throw new Error("killed");
      left -= 1;
    };
    expect(await toPostgres({ effect })).toMatchObject({ error: { code: "STORAGE_FAILED" } });
    root = here;
    expect(await toPostgres()).toMatchObject({ error: { code: "TARGET_EXISTS" } });
    const third = join(dir, "third");
    expect(
      await initRoot({ root: third, postgres: server.url, name: server.root, s3: null }),
    ).toMatchObject({
      error: { code: "STORAGE_MOVED", message: expect.stringContaining("not whole") },
    });
    root = join(dir, "second");
    await done(toPostgres());
    root = here;
    expect(await toPostgres()).toMatchObject({ error: { code: "TARGET_EXISTS" } });
    expect(await toFolder()).toMatchObject({ error: { code: "USAGE" } });
    expect(await toFolder({ to: dir })).toMatchObject({ error: { code: "USAGE" } });
  });

  it("does not leave a root whose thread is not whole, and brings what a collection has set aside", async () => {
    await fill();
    const [first] = await opened(({ store }) => store.roots());
    const head = first?.head ?? "";
    await opened(({ cas }) => cas.move("packed"));
    const { DatabaseSync } = await import("node:sqlite");
    const db = new DatabaseSync(storagePaths(root).index);
    db.exec("INSERT INTO asideBlobs SELECT id, 1 FROM blobs");
    db.close();
    await done(toPostgres());
    expect((await seen()).sound).toBe(true);
    await removeFormer();
    await opened(({ cas }) => cas.delete(head));
    expect(await toFolder()).toMatchObject({ error: { code: "CAS_MISSING" } });
    expect(existsSync(storagePaths(root).place)).toBe(true);
  });
});
