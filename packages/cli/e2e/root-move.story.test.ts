/** A root that goes from its folder to PostgreSQL and back. By the built command. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { testRoot } from "@uncaged/workflow-store-postgres/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

let cli: Cli;
let server: { url: string; root: string };
let threadId = "";
beforeAll(async () => {
  server = await testRoot();
  cli = openCli();
  await cli.addSteps("steps");
  const prompt = JSON.stringify({ steps: 2 });
  const started = await cli.json<{ threadId: string }>(
    ["run", "steps", "--prompt", "-", "--wait"],
    { stdin: prompt },
  );
  threadId = started.threadId;
});
afterAll(() => cli.close());

const move = (...more: string[]) => ["root", "move", ...more];
const there = () => ["--to", server.url, "--name", server.root];
const thread = () => cli.json<ThreadView>(["thread", "show", threadId]);

it("is moved there and back with its threads, which go on to be proved and run", async () => {
  const before = await thread();
  const counted = await cli.json(move(...there(), "--dry-run"));
  expect(counted).toMatchObject({ threads: 1, bundles: 1, dryRun: true });
  expect(existsSync(join(cli.root, "root.json"))).toBe(false);
  const moved = await cli.run(move(...there()));
  expect(moved.stdout).toContain("1 thread, ");
  expect(moved.stdout + moved.stderr).not.toContain(new URL(server.url).password);
  expect(await thread()).toEqual(before);
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  const again = ["run", "steps", "--prompt", JSON.stringify({ steps: 1 }), "--wait"];
  expect(await cli.json(again)).toMatchObject({ status: "completed" });

  const back = move("--to", cli.root);
  expect(await cli.fails(back)).toMatchObject({
    code: "TARGET_EXISTS",
    hint: expect.stringContaining("rm "),
  });
  for (const name of ["index.db", "index.db-wal", "index.db-shm", "move.json", "cas"])
    rmSync(join(cli.root, name), { recursive: true, force: true });
  expect(await cli.json(back)).toMatchObject({ threads: 2, dryRun: false });
  expect(await thread()).toEqual(before);
  expect(await cli.json(["cas", "fsck"])).toMatchObject({ ok: true });
  expect(await cli.json(again)).toMatchObject({ status: "completed" });
});
