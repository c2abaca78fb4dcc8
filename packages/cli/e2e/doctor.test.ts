/** The built command finds real damage, and its advice fixes it. */
import { appendFileSync, chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";

type Report = {
  ok: boolean;
  checks: { name: string; ok: boolean; message: string; fix: string | null }[];
};

let cli: Cli;
let hash = "";
beforeAll(async () => {
  cli = openCli();
  ({ hash } = await cli.addSteps("review"));
});
afterAll(() => cli.close());

async function faults(): Promise<{
  exit: number | null;
  names: string[];
  fixes: (string | null)[];
}> {
  const { code, stdout } = await cli.run(["doctor", "--json"]);
  const { ok, checks }: Report = JSON.parse(stdout);
  const wrong = checks.filter((check) => !check.ok);
  expect(ok).toBe(wrong.length === 0);
  return { exit: code, names: wrong.map(({ name }) => name), fixes: wrong.map(({ fix }) => fix) };
}

it("a healthy storage root passes, and a missing one is not created", async () => {
  expect(await faults()).toEqual({ exit: 0, names: [], fixes: [] });
  const empty = mkdtempSync(join(tmpdir(), "uwf-empty-"));
  const root = join(empty, "root");
  const { code, stdout } = await cli.run(["doctor"], { env: { WORKFLOW_STORAGE_ROOT: root } });
  expect([code, stdout]).toEqual([0, expect.stringContaining("Nothing is wrong.")]);
  expect(readdirSync(empty)).toEqual([]);
  rmSync(empty, { recursive: true });
});

it("a killed runner is found, and resuming its thread fixes it", async () => {
  // Its step ends only when it is killed, however long the commands in between take.
  const prompt = JSON.stringify({ steps: 3, gate: "closed" });
  const { threadId } = await cli.json<{ threadId: string }>(["run", "review", "-p", prompt]);
  const { threads } = await cli.json<{ threads: { pid: number }[] }>(["thread", "ps"]);
  for (const { pid } of threads) await killHard(pid);
  const found = await faults();
  expect(found).toEqual({
    exit: 1,
    names: ["threads"],
    fixes: [`uncaged-workflow thread resume ${threadId}`],
  });
  await cli.json(["thread", "resume", threadId]);
  expect((await faults()).names).toEqual([]);
  await cli.json(["thread", "kill", threadId]);
});

it("a changed bundle and a configuration that others can read are both found", async () => {
  appendFileSync(join(cli.root, "bundles", hash, "bundle.esm.js"), "\n");
  chmodSync(join(cli.root, "workflow.yaml"), 0o640);
  expect((await faults()).names).toEqual(["configuration", "bundles"]);
  // Adding the same bundle again fixes it.
  await cli.addSteps("review");
  chmodSync(join(cli.root, "workflow.yaml"), 0o600);
  expect((await faults()).names).toEqual([]);
});
