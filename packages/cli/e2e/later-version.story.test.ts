/** A worker that is up while a later version brings the tables of the shared root up to date. By the built command. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadRecord } from "@uncaged/workflow-protocol";
import type { Index } from "@uncaged/workflow-store";
import { type Database, openDatabase, openPostgresIndex } from "@uncaged/workflow-store-postgres";
import { testRoot } from "@uncaged/workflow-store-postgres/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";
import { ended } from "./staying.test.helper.ts";

const LONG = { timeout: 60_000, interval: 25 };

let cli: Cli;
let index: Index;
let database: Database;
const started: ChildProcess[] = [];
beforeAll(async () => {
  const server = await testRoot();
  cli = openCli();
  await cli.json(["root", "init", "--postgres", server.url, "--name", server.root]);
  index = await openPostgresIndex(server);
  database = await openDatabase(server);
  await cli.addSteps("steps");
});
afterAll(async () => {
  for (const child of started) await ended(child, "SIGKILL");
  await database.query("clean up", { text: "DELETE FROM migrations WHERE name LIKE '%-99'" });
  await index.threads.close();
  await database.close();
  await cli.close();
});

it("works beside it where the change says that it may", async () => {
  const worker = await up();
  await database.query("migrate", { text: "ALTER TABLE threads ADD COLUMN later bigint" });
  await migrated("beside index-99");
  const threadId = await queued({ steps: 2 });
  await until(threadId, ({ status }) => status === "completed");
  await ended(worker.child, "SIGTERM");
  expect(worker.child.exitCode).toBe(0);
});

it("else finishes the step under way, leaves all threads queued for workers of the later version, and ends", async () => {
  const worker = await up();
  const running = await queued({ steps: 2, gate: "later" });
  await until(running, ({ status }) => status === "running");
  // Its process would be of another version, which is not loaded yet.
  await cli.addSteps("others", "another version");
  const waiting = await queued({ steps: 1 }, "others", ["--pool", "gpu"]);
  await migrated("index-99");
  await database.query("let it be taken", {
    text: "UPDATE threads SET pool = 'default' WHERE threadId = $1",
    values: [waiting],
  });
  // The other thread counts, too, while its process has not been refused yet.
  await expect.poll(worker.said, LONG).toMatch(/draining: [12] of its threads/);
  writeFileSync(join(cli.dir, "later-1"), "");
  await expect.poll(() => worker.child.exitCode, LONG).toBe(0);
  expect(worker.said()).toContain("index-99");
  expect(worker.said()).not.toContain("rests");
  // One line, no trace.
  expect(worker.said()).not.toContain("    at ");
  for (const threadId of [running, waiting])
    expect(await index.threads.get(threadId)).toMatchObject({ status: "queued" });
  expect(await cli.fails(["thread", "list"])).toMatchObject({ code: "STORAGE_NEWER" });

  // A worker that knows what was changed.
  await database.query("know it", { text: "DELETE FROM migrations WHERE name = 'index-99'" });
  writeFileSync(join(cli.dir, "later-2"), "");
  const later = await up();
  for (const threadId of [running, waiting])
    await until(threadId, ({ status }) => status === "completed");
  await ended(later.child, "SIGTERM");
  expect(await cli.json(["thread", "verify", running])).toMatchObject({ ok: true });
});

async function migrated(name: string): Promise<void> {
  const text = "INSERT INTO migrations (name) VALUES ($1)";
  await database.query("migrate", { text, values: [name] });
}

async function up(): Promise<{ child: ChildProcess; said: () => string }> {
  const child = spawn(process.execPath, [BIN, "--json", "worker", "start", "--pool", "default"], {
    cwd: cli.dir,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root },
  });
  started.push(child);
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await once(child.stdout, "data");
  return { child, said: () => said };
}

async function queued(plan: object, workflow = "steps", words: string[] = []): Promise<string> {
  const prompt = JSON.stringify(plan);
  const asked = ["run", workflow, "--prompt", prompt, "--cwd", cli.dir, "--queue", ...words];
  return (await cli.json<{ threadId: string }>(asked)).threadId;
}

async function until(threadId: string, holds: (thread: ThreadRecord) => boolean): Promise<void> {
  const seen = async (): Promise<boolean> => {
    const thread = await index.threads.get(threadId);
    return thread !== null && holds(thread);
  };
  await expect.poll(seen, LONG).toBe(true);
}
