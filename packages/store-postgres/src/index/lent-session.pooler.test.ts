/** Behind a pooler of connections, whose clients share sessions of the server. */
import { setTimeout as sleep } from "node:timers/promises";
import { says, THREAD } from "@uncaged/workflow-store/live-suite";
import {
  blobTableCases,
  dispatchCases,
  schedulesCases,
  taskCases,
  threadStoreCases,
  triggersCases,
} from "@uncaged/workflow-store/suite";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type DatabaseOptions, openDatabase } from "../database/database.ts";
import { whileRootLocked } from "../database/root-lock.ts";
import { postgresLiveLog } from "../live/postgres-live-log.ts";
import { cuttingProxy } from "../testing/cutting-proxy.test.helper.ts";
import { emptyRoot } from "../testing/empty-root.test.helper.ts";
import { type Pooler, pooler } from "../testing/pooler.test.helper.ts";
import { testRoot } from "../testing/test-root.ts";
import { openPostgresLeaving } from "./moving-index.ts";
import {
  openPostgresIndex,
  openPostgresSchedules,
  openPostgresTasks,
  openPostgresTriggers,
} from "./open-index.ts";

let server: { url: string; root: string };
let between: Pooler;
let at: DatabaseOptions;
beforeAll(async () => {
  server = await testRoot();
  between = await pooler(server.url, { sessions: 2 });
  at = { url: between.url, root: server.root, clock: (nowMs) => nowMs };
  await (await openDatabase(at)).close();
});
beforeEach(() => emptyRoot(server));
afterAll(() => between.close());

test.each(threadStoreCases)("behind a pooler a store $name", async ({ run }) => {
  const { threads } = await openPostgresIndex(at);
  await run(threads);
  await threads.close();
});

test.each(dispatchCases)("behind a pooler a queue $name", async ({ run }) => {
  const index = await openPostgresIndex(at);
  await run(index);
  await index.threads.close();
});

test.each(blobTableCases)("behind a pooler blobs $name", async ({ run }) => {
  const index = await openPostgresIndex(at);
  await run({ blobs: index.blobs, threads: index.threads });
  await index.threads.close();
});

test.each(schedulesCases)("behind a pooler schedules $name", async ({ run }) => {
  const schedules = await openPostgresSchedules(at);
  await run(schedules);
  await schedules.close();
});

test.each(triggersCases)("behind a pooler triggers $name", async ({ run }) => {
  const triggers = await openPostgresTriggers(at);
  await run(triggers);
  await triggers.close();
});

test.each(taskCases)("behind a pooler tasks $name", async ({ run }) => {
  const tasks = await openPostgresTasks(at);
  await run(tasks);
  await tasks.close();
});

test("two roots share one session of the server, and neither sees the other's tables or statements", async () => {
  const one = await pooler(server.url, { sessions: 1 });
  const roots = [await testRoot(), await testRoot(), server];
  // The third goes directly to the server.
  const databases = await Promise.all(
    roots.map(({ url, root }, no) => openDatabase({ url: no < 2 ? one.url : url, root })),
  );
  expect(databases.map(({ session }) => session)).toEqual(["lent", "lent", "own"]);
  const where = { text: "SELECT current_schema()::text AS here, current_setting('jit') AS jit" };
  for (let round = 0; round < 3; round += 1)
    for (const [no, database] of databases.entries()) {
      const found = [
        await database.query("look", where),
        await database.transaction("look", "shared", ({ query }) => query(where)),
      ];
      const here = { here: `uncaged_${roots[no]?.root}`, jit: "off" };
      expect(found.map(({ rows }) => rows)).toEqual([[here], [here]]);
    }
  for (const database of databases) await database.close();
  expect(await leftBehind(one.url)).toEqual({ path: '"$user", public', prepared: "0" });
  await one.close();
});

test("a pooler that drops what a session begins with is noticed, and so are settings in the URL", async () => {
  const drops = await pooler(server.url, {
    sessions: 1,
    settings: ["ignore_startup_parameters = options"],
  });
  const database = await openDatabase({ ...server, url: drops.url });
  expect(database.session).toBe("lent");
  await database.close();
  await drops.close();
  const elsewhere = new URL(server.url);
  elsewhere.searchParams.set("options", "-c search_path=public");
  const other = await openDatabase({ url: elsewhere.href, root: `${server.root}b` });
  const { rows } = await other.query("look", { text: "SELECT count(*) AS n FROM migrations" });
  expect(rows).toEqual([{ n: expect.any(Number) }]);
  await other.close();
});

test("a pooler that is put before the server later ends what trusted its session", async () => {
  const proxy = await cuttingProxy(server.url);
  const database = await openDatabase({ ...server, url: proxy.url });
  const drops = await pooler(server.url, {
    sessions: 1,
    settings: ["ignore_startup_parameters = options"],
  });
  for (const { url } of [between, drops]) {
    proxy.leadTo(url);
    proxy.cutAt(1, "request");
    await expect(database.query("look", { text: "SELECT 1 FROM threads" })).rejects.toMatchObject({
      failure: { code: "STORAGE_FAILED", hint: "end this program and start it again" },
    });
  }
  await database.close();
  await proxy.close();
  await drops.close();
});

test("one section of a root at a time, and no lock stays behind", async () => {
  const section = { ...at, patienceMs: 30_000 };
  let inside = 0;
  let most = 0;
  await Promise.all(
    [1, 2, 3].map(() =>
      whileRootLocked(section, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await sleep(30);
        inside -= 1;
      }),
    ),
  );
  expect(most).toBe(1);
  await whileRootLocked({ ...server, patienceMs: 0 }, async () => {});
});

test("a reader is told what another client writes to a live log", async () => {
  const databases = [await openDatabase(at), await openDatabase(at)] as const;
  const [reader, writer] = databases.map((each) => postgresLiveLog(each, { url: at.url }));
  if (reader === undefined || writer === undefined) throw new Error("unreachable");
  const events = reader.read(THREAD, {
    after: 0,
    until: "aborted",
    signal: AbortSignal.timeout(30_000),
  });
  const first = events[Symbol.asyncIterator]().next();
  await sleep(100);
  const log = writer.writer({ threadId: THREAD, fence: 1 });
  log.append(says("hello"));
  log.close();
  expect((await first).value).toMatchObject({ seq: 1 });
  await reader.close();
  await writer.close();
  for (const database of databases) await database.close();
});

test("unused space is given back, and a root that is moved away is held and copied", async () => {
  const index = await openPostgresIndex(at);
  await index.blobs.shrink();
  const bytes = Buffer.from("one");
  await index.blobs.write({ rows: [{ hash: "0000000000001", bytes }], replacing: [], move: null });
  const leaving = await openPostgresLeaving({ url: at.url, root: server.root });
  expect(await leaving.index.blobs.list()).toHaveLength(1);
  await leaving.index.threads.close();
  await index.threads.close();
});

/** What a session that was lent has kept. */
async function leftBehind(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "SELECT current_setting('search_path') AS path, (SELECT count(*) FROM pg_prepared_statements) AS prepared",
  );
  await client.end();
  return rows[0];
}
