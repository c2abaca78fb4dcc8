/** Roles with the privileges of docs/operating-a-team.md, and no others: one owns the schema, one is the workers', one only looks. */
import { readFileSync } from "node:fs";
import {
  blobTableCases,
  dispatchCases,
  schedulesCases,
  taskCases,
  threadStoreCases,
  triggersCases,
} from "@uncaged/workflow-store/suite";
import pg from "pg";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../database/database.ts";
import { PUBLISH_MIGRATION } from "../tables/publish.ts";
import { emptyRoot } from "../testing/empty-root.test.helper.ts";
import { testRoot } from "../testing/test-root.ts";
import {
  openPostgresIndex,
  openPostgresSchedules,
  openPostgresTasks,
  openPostgresTriggers,
} from "./open-index.ts";

const PAGE = new URL("../../../../docs/operating-a-team.md", import.meta.url);

let server: { url: string; root: string };
const clock = (nowMs: number): number => nowMs;
const as = (role: "owner" | "worker" | "viewer") => {
  const url = new URL(server.url);
  url.username = `${server.root}_${role}`;
  url.password = "secret";
  return { url: url.href, root: server.root, clock };
};

beforeAll(async () => {
  server = await testRoot();
  await asAdmin(rolesOf(server.root));
  await (await openDatabase(as("owner"))).close();
});
beforeEach(() => emptyRoot(server));

test.each(threadStoreCases)("for the workers' role a store $name", async ({ run }) => {
  const { threads } = await openPostgresIndex(as("worker"));
  await run(threads);
  await threads.close();
});

test.each(dispatchCases)("for the workers' role a queue $name", async ({ run }) => {
  const index = await openPostgresIndex(as("worker"));
  await run(index);
  await index.threads.close();
});

test.each(blobTableCases)("for the workers' role blobs $name", async ({ run }) => {
  const index = await openPostgresIndex(as("worker"));
  await run({ blobs: index.blobs, threads: index.threads });
  await index.threads.close();
});

test.each(schedulesCases)("for the workers' role schedules $name", async ({ run }) => {
  const schedules = await openPostgresSchedules(as("worker"));
  await run(schedules);
  await schedules.close();
});

test.each(triggersCases)("for the workers' role triggers $name", async ({ run }) => {
  const triggers = await openPostgresTriggers(as("worker"));
  await run(triggers);
  await triggers.close();
});

test.each(taskCases)("for the workers' role tasks $name", async ({ run }) => {
  const tasks = await openPostgresTasks(as("worker"));
  await run(tasks);
  await tasks.close();
});

test("the workers' role changes no table, function or privilege, and sees no other root", async () => {
  const other = await testRoot();
  await (await openDatabase(other)).close();
  const database = await openDatabase(as("worker"));
  for (const text of [
    "DROP TABLE threads",
    "ALTER TABLE threads DISABLE TRIGGER ALL",
    "TRUNCATE blobs",
    "CREATE TABLE more (id int)",
    `CREATE OR REPLACE FUNCTION instr(words text, word text) RETURNS integer LANGUAGE sql AS 'SELECT 1'`,
    `DROP SCHEMA uncaged_${server.root} CASCADE`,
    "ALTER TABLE threads OWNER TO CURRENT_USER",
    "CREATE SCHEMA uncaged_mine",
    "CREATE TABLE public.mine (id int)",
    `SELECT * FROM uncaged_${other.root}.threads`,
    "SELECT * FROM pg_authid",
    "COPY threads TO PROGRAM 'cat'",
  ])
    await expect(database.query("overstep", { text }), text).rejects.toMatchObject({
      failure: { code: "STORAGE_FAILED" },
    });
  await database.close();
});

test("who only looks reads everything, and changes nothing", async () => {
  const index = await openPostgresIndex(as("worker"));
  const bytes = Buffer.from("one");
  await index.blobs.write({ rows: [{ hash: "0000000000001", bytes }], replacing: [], move: null });
  const viewer = await openPostgresIndex(as("viewer"));
  expect(await viewer.threads.list({})).toEqual([]);
  expect(await viewer.blobs.list()).toHaveLength(1);
  const more = { rows: [{ hash: "0000000000002", bytes }], replacing: [], move: null };
  await expect(viewer.blobs.write(more)).rejects.toMatchObject({
    failure: { code: "STORAGE_FAILED", message: expect.stringContaining("permission denied") },
  });
  await viewer.threads.close();
  await index.threads.close();
});

test("the workers' role of a later version waits for the owner to bring the tables up to date", async () => {
  const schema = `uncaged_${server.root}`;
  // As if this version had another way to publish a step than the one that made the tables.
  await asAdmin(`DELETE FROM ${schema}.migrations WHERE name = '${PUBLISH_MIGRATION}'`);
  await expect(openDatabase(as("worker"))).rejects.toMatchObject({
    failure: {
      code: "STORAGE_FAILED",
      message: expect.stringContaining(schema),
      hint: expect.stringContaining("as the role that owns the schema"),
    },
  });
  await (await openDatabase(as("owner"))).close();
  await (await openDatabase(as("worker"))).close();
});

/** What the page shows, for roles and a schema of these tests. */
function rolesOf(root: string): string {
  const shown = [...readFileSync(PAGE, "utf8").matchAll(/^```sql\n([\s\S]*?)^```$/gm)];
  const text = shown.map(([, sql = ""]) => sql).find((sql) => sql.includes("CREATE ROLE")) ?? "";
  expect(text).toContain("uncaged_team");
  return text
    .replaceAll("uncaged_team", `uncaged_${root}`)
    .replaceAll(/\bteam_(owner|worker|viewer)\b/g, `${root}_$1`)
    .replaceAll(/DATABASE workflows\b/g, "DATABASE postgres")
    .replaceAll(/PASSWORD '[^']*'/g, "PASSWORD 'secret'");
}

async function asAdmin(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(text);
  await client.end();
}
