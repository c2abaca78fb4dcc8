/** One root in PostgreSQL, and two machines that use it: each has a folder of its own. By the built command. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { openDatabase } from "@uncaged/workflow-store-postgres";
import { testRoot } from "@uncaged/workflow-store-postgres/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

let here: Cli;
let there: Cli;
let server: { url: string; root: string };
let threadId = "";
beforeAll(async () => {
  server = await testRoot();
  here = openCli();
  there = openCli();
});
afterAll(() => Promise.all([here.close(), there.close()]));

const init = (cli: Cli) =>
  cli.json(["root", "init", "--postgres", server.url, "--name", server.root]);

it("is made by one machine, and joined by another; the password is in no output and no open file", async () => {
  for (const cli of [here, there]) {
    const made = await init(cli);
    expect(made).toMatchObject({ root: cli.root, name: server.root, s3: null });
    expect(JSON.stringify(made)).not.toContain(new URL(server.url).password);
    expect(statSync(join(cli.root, "root.json")).mode & 0o077).toBe(0);
  }
  expect(await here.fails(["root", "init", "--postgres", server.url])).toMatchObject({
    code: "TARGET_EXISTS",
  });
});

it("is not made with a bucket that cannot be one, or that does not answer", async () => {
  const other = openCli();
  const AWS = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
  const making = (s3: string) =>
    other.fails(["root", "init", "--postgres", server.url, "--s3", s3], { env: AWS });
  expect((await making("no bucket")).code).toBe("USAGE");
  const silent = await making("http://127.0.0.1:1/team");
  expect(silent).toMatchObject({
    code: "STORAGE_FAILED",
    message: expect.stringContaining("bucket team"),
  });
  expect(existsSync(join(other.root, "root.json"))).toBe(false);
  await other.close();
});

it("runs on one machine what the other has added, and both see the thread", async () => {
  await here.addSteps("steps");
  const { workflows } = await there.json<{ workflows: { name: string }[] }>(["workflow", "list"]);
  expect(workflows.map(({ name }) => name)).toEqual(["steps"]);
  // A step's text is too long for a row of an embedded root.
  const prompt = JSON.stringify({ steps: 2, says: "long ".repeat(80_000) });
  const started = await there.json<{ threadId: string }>(
    ["run", "steps", "--prompt", "-", "--wait"],
    { stdin: prompt },
  );
  threadId = started.threadId;
  const [one, two] = await Promise.all(
    [here, there].map((cli) => cli.json<ThreadView>(["thread", "show", threadId])),
  );
  expect(one).toEqual(two);
  expect(one).toMatchObject({ status: "completed" });
});

it("keeps nothing of a thread on the machine that ran it: another verifies it, and reads what was said", async () => {
  expect(await here.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  const live = await here.run(["thread", "live", threadId, "--json"]);
  expect(live.stdout).toContain("working on step 2");
  expect(await here.json(["cas", "fsck"])).toMatchObject({ ok: true });
});

it("is healthy, says so, and does not pretend that its folder is a backup", async () => {
  const { checks } = await here.json<{ checks: { name: string; message: string }[] }>(["doctor"]);
  const row = checks.find(({ name }) => name === "server");
  expect(row?.message).toMatch(/^PostgreSQL \d+.*, root t\w+; its clock is \d+ ms/u);
  expect(row?.message).not.toContain(new URL(server.url).password);
  expect(await here.fails(["backup", join(here.dir, "backup.tar")])).toMatchObject({
    code: "USAGE",
    hint: expect.stringContaining("pg_dump"),
  });
});

it("restores on one machine a version that only another has seen", async () => {
  const { previous } = await here.addSteps("steps", "works otherwise");
  rmSync(join(there.root, "bundles"), { recursive: true });
  expect(await there.json(["workflow", "rollback", "steps"])).toMatchObject({ hash: previous });
  const { checks } = await there.json<{ checks: { name: string; ok: boolean }[] }>(["doctor"]);
  expect(checks.find(({ name }) => name === "bundles")?.ok).toBe(true);
});

it("a bundle that was changed in the database does not run", async () => {
  const database = await openDatabase(server);
  await database.query("change a bundle", {
    text: "UPDATE bundle_files SET bytes = bytes || '//' WHERE name = 'bundle.esm.js'",
  });
  await database.close();
  rmSync(join(there.root, "bundles"), { recursive: true });
  const refused = await there.fails(["run", "steps", "--prompt", "{}"]);
  expect(refused.code).toBe("BUNDLE_TAMPERED");
});

it("a folder that does not say clearly where its root is, is not taken for an empty root", async () => {
  const place = join(there.root, "root.json");
  const before = readFileSync(place);
  writeFileSync(place, "{}");
  expect((await there.fails(["thread", "list"])).code).toBe("CONFIG_INVALID");
  writeFileSync(place, before);
});
