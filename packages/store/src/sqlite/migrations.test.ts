import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import {
  failureFrom,
  isFinished,
  leaseOf,
  pendingInputOf,
  suspensionOf,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sampleThread } from "../suite/sample-threads.ts";
import { migrate } from "./migrations.ts";
import { openThreadStore } from "./sqlite-store.ts";

const GOLDEN = fileURLToPath(new URL("golden/", import.meta.url));

/** SQLite's value for `synchronous = FULL`. */
const FULL = 2;

let root: string;
let file: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
  file = join(root, "index.db");
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("a fresh index has the schema that was released, to the letter", async () => {
  await (await openThreadStore(root)).close();
  expect(schema()).toBe(await readFile(join(GOLDEN, "schema-19.sql"), "utf8"));
  expect(header()).toEqual({ application_id: 0x55574669, user_version: 19 });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])(
  "an index that schema %i wrote is read as it was meant",
  async (version) => {
    await writtenBy(version);
    const store = await openThreadStore(root);
    const threads = await store.list({});
    expect(`${JSON.stringify(threads.map(allFields), null, 2)}\n`).toBe(
      await readFile(join(GOLDEN, "threads-1.json"), "utf8"),
    );
    expect((await store.create(sampleThread(9), "nightly")).created).toBe(false);
    await store.close();
    expect(schema()).toBe(await readFile(join(GOLDEN, "schema-19.sql"), "utf8"));
    expect(header().user_version).toBe(19);
  },
);

test("a blob that schema 2 keeps stays, in its place", async () => {
  await writtenBy(2);
  raw((db) =>
    db.exec("INSERT INTO blobs VALUES (7, -5, x'6162'); INSERT INTO asideBlobs VALUES (7, 9)"),
  );
  await (await openThreadStore(root)).close();
  const blob =
    "SELECT id, name, hex(bytes) AS bytes, sinceMs FROM blobs JOIN asideBlobs USING (id)";
  const rows = raw((db) => db.prepare(blob).all());
  expect(rows).toEqual([{ id: 7, name: -5, bytes: "6162", sinceMs: 9 }]);
});

test("what schema 3 stores of a person's settings keeps its meaning", async () => {
  await writtenBy(3);
  raw((db) =>
    db.exec(`UPDATE threads SET limits = '{"steps":7}', agent = 'claude', replacedHead = 'C000000000002',
      replacedSha256 = '02', suspendedKind = 'limit' WHERE status = 'suspended'`),
  );
  const store = await openThreadStore(root);
  expect(await store.get("01HF0000000003ABCDEFGH0003")).toMatchObject({
    limits: { steps: 7 },
    agent: "claude",
    replaced: { head: "C000000000002", headSha256: "02" },
    waits: [{ role: "planner", kind: "limit" }],
  });
  await store.close();
});

test("opening again changes nothing", async () => {
  const store = await openThreadStore(root);
  const { thread } = await store.create(sampleThread(1), null);
  await store.close();
  const again = await openThreadStore(root);
  expect(await again.get(thread.threadId)).toEqual(thread);
  await again.close();
});

test("a commit is in the write-ahead log, and that is flushed, before it returns", () => {
  raw((db) => {
    migrate(db, { file, refuseEmpty: () => {}, withoutTables: () => new Error("none") });
    expect(db.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(db.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: FULL });
    expect(db.prepare("PRAGMA fullfsync").get()).toEqual({ fullfsync: 1 });
  });
});

test("an index of a later version is refused and left alone", async () => {
  await (await openThreadStore(root)).close();
  raw((db) => db.exec("PRAGMA user_version = 999"));
  const reason = await refusal();
  expect(reason.code).toBe("STORAGE_NEWER");
  expect(reason.message).toContain(file);
  expect(reason.message).toContain("999");
  expect(reason.hint).toContain("update");
  expect(header().user_version).toBe(999);
});

test("another program's database is refused and left alone", async () => {
  raw((db) => db.exec("CREATE TABLE recipes (name TEXT)"));
  const before = await readFile(file);
  const reason = await refusal();
  expect(reason.code).toBe("STORAGE_FAILED");
  expect(reason.message).toContain("another program");
  expect(await readFile(file)).toEqual(before);
});

test("a file that is not a database is refused and left alone", async () => {
  const text = "these are my notes\n".repeat(300);
  await writeFile(file, text);
  const reason = await refusal();
  expect(reason.code).toBe("STORAGE_FAILED");
  expect(reason.message).toContain(file);
  expect(reason.hint).toContain("move");
  expect(await readFile(file, "utf8")).toBe(text);
});

test("an index whose first page is damaged is refused", async () => {
  await (await openThreadStore(root)).close();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xff, 100, 1_000));
  expect((await refusal()).code).toBe("STORAGE_FAILED");
});

test("a folder in the place of the index is refused", async () => {
  await mkdir(file);
  const reason = await refusal();
  expect(reason.code).toBe("STORAGE_FAILED");
  expect(reason.hint).not.toBe("");
});

test("a file in the place of the storage root is refused", async () => {
  await writeFile(file, "");
  const store = openThreadStore(join(file, "root"));
  const reason = failureFrom(await store.catch((thrown: unknown) => thrown), "INTERNAL");
  expect(reason.code).toBe("STORAGE_FAILED");
});

test("a row that another program spoiled is reported and not passed on", async () => {
  const store = await openThreadStore(root);
  const { threadId } = (await store.create(sampleThread(1), null)).thread;
  raw((db) => db.exec("UPDATE threads SET status = 'resting'"));
  const thrown: unknown = await store.get(threadId).catch((reason: unknown) => reason);
  const reason = failureFrom(thrown, "INTERNAL");
  expect(reason.code).toBe("STORAGE_FAILED");
  expect(reason.message).toContain(threadId);
  expect(reason.message).toContain("resting");
  await store.close();
});

/** An index written by an earlier version of this program; all have the same threads. */
async function writtenBy(version: number): Promise<void> {
  for (const part of [`schema-${version}.sql`, "threads-1.sql"]) {
    const sql = await readFile(join(GOLDEN, part), "utf8");
    raw((db) => db.exec(sql));
  }
  raw((db) => db.exec(`PRAGMA user_version = ${version}`));
}

function schema(): string {
  const rows = raw((db) =>
    db.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").all(),
  );
  return rows.map((row) => `${row.sql};\n`).join("");
}

function raw<T>(use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file);
  try {
    return use(db);
  } finally {
    db.close();
  }
}

function header(): { [name: string]: unknown } {
  return raw((db) => ({
    ...db.prepare("PRAGMA application_id").get(),
    ...db.prepare("PRAGMA user_version").get(),
  }));
}

async function refusal(): Promise<{ code: string; message: string; hint: string }> {
  const opened: unknown = await openThreadStore(root).catch((thrown: unknown) => thrown);
  return failureFrom(opened, "INTERNAL");
}

/** Every field that a thread may have, in the order of the golden file; null where its status has none. */
function allFields(thread: ThreadRecord): Record<string, unknown> {
  const { threadId, workflow, bundleHash, startHash, head, headSha256, status } = thread;
  const { stepCount, depth, parentThread, cwd, limits, agent, forkedFrom } = thread;
  const { startedAt, createdAt, updatedAt } = thread;
  const { returnCode, summary } = isFinished(thread) ? thread : { returnCode: null, summary: null };
  const { replaced, signals } = isFinished(thread) ? { replaced: null, signals: [] } : thread;
  const [suspended, lease] = [suspensionOf(thread), leaseOf(thread)];
  const said = pendingInputOf(thread);
  const answer = said?.kind === "answer" ? { role: said.role, text: said.text } : null;
  const nextPrompt = said?.kind === "prompt" ? said.text : null;
  return {
    ...{ threadId, workflow, bundleHash, startHash, head, headSha256, status },
    ...{ stepCount, depth, parentThread, cwd, returnCode, summary, suspended },
    ...{ answer, nextPrompt, limits, agent, replaced, forkedFrom },
    ...{ startedAt, createdAt, updatedAt, lease, signals },
  };
}
