/** A storage root with a lost or older index counts as damaged, never as new: nothing in it is deleted. */
import { copyFileSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

let cli: Cli;
let index = "";
let ended = "";
beforeEach(async () => {
  cli = openCli();
  index = join(cli.root, "index.db");
  await cli.addSteps("steps");
  ended = await finished();
});
afterEach(() => rmSync(cli.dir, { recursive: true, force: true }));

async function finished(): Promise<string> {
  const prompt = JSON.stringify({ steps: 2 });
  const { threadId } = await cli.json<{ threadId: string }>([
    "run",
    "steps",
    "-p",
    prompt,
    "--wait",
  ]);
  return threadId;
}

/** A thread that waits for a person after its first step; returns its head. */
async function waiting(): Promise<string> {
  const prompt = JSON.stringify({ steps: 3, suspendAt: 1 });
  await cli.run(["run", "steps", "-p", prompt, "--wait"]);
  const { threads } = await cli.json<{ threads: { head: string }[] }>(["thread", "list"]);
  return threads[0]?.head ?? "";
}

/** A runner whose thread has ended may still be closing the index. */
const PATIENT = { timeout: 10_000 };

function withoutIndex(): void {
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${index}${ending}`, { force: true });
}

function blobs(): string[] {
  return readdirSync(join(cli.root, "cas"))
    .filter((name) => name.endsWith(".txt"))
    .sort();
}

/** Ways in which an index can come to name no thread any more. */
const LOSSES: { readonly [name: string]: () => void } = {
  gone: withoutIndex,
  "an empty file": () => {
    withoutIndex();
    writeFileSync(index, "");
  },
  "a database without tables": () => {
    withoutIndex();
    const db = new DatabaseSync(index, PATIENT);
    db.exec("CREATE TABLE t (a); DROP TABLE t");
    db.close();
  },
  "an index whose tables were dropped": () => {
    const db = new DatabaseSync(index, PATIENT);
    db.exec("DROP TABLE threads");
    db.close();
  },
};

describe.each(Object.keys(LOSSES))("an index that is %s", (name) => {
  it("stops every command that would mistake the root for a new one, and is found by doctor and fsck", async () => {
    const before = blobs();
    LOSSES[name]?.();
    const size = existsSync(index) ? statSync(index).size : null;
    const prompt = JSON.stringify({ steps: 1 });
    for (const words of [
      ["cas", "gc", "--grace", "0s"],
      ["cas", "gc", "--grace", "0s"],
      ["cas", "fsck"],
      ["cas", "put", "text"],
      ["thread", "list"],
      ["run", "steps", "-p", prompt],
    ]) {
      expect(await cli.fails(words), words.join(" ")).toMatchObject({
        exit: 5,
        code: "STORAGE_DAMAGED",
        hint: expect.stringContaining("uncaged-workflow thread recover"),
      });
    }
    const { code, stdout } = await cli.run(["--json", "doctor"]);
    const { checks }: { checks: { name: string; ok: boolean; fix: string }[] } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(checks.find((check) => check.name === "index")).toMatchObject({
      ok: false,
      fix: expect.stringContaining("backup"),
    });
    expect(blobs()).toEqual(before);
    expect(existsSync(index) ? statSync(index).size : null).toBe(size);
  });

  it("is rebuilt by thread recover, with finished and unfinished threads", async () => {
    const head = await waiting();
    const before = await cli.json(["thread", "show", ended]);
    LOSSES[name]?.();
    const report = await cli.json<{ ended: string[]; atRest: string[] }>(["thread", "recover"]);
    expect(report).toMatchObject({ ended: [ended], atRest: [expect.any(String)], gone: [] });
    const [again = ""] = report.atRest;
    expect(await cli.json(["thread", "show", again])).toMatchObject({ head, status: "idle" });
    expect(await cli.json(["thread", "verify", again])).toMatchObject({ ok: true });
    expect(await cli.json(["thread", "show", ended])).toMatchObject({
      head: before.head,
      status: "completed",
    });
    expect(await cli.json(["thread", "verify", ended])).toMatchObject({ ok: true });
    expect(await cli.json(["cas", "fsck"])).toMatchObject({ ok: true });
    expect(await cli.json<{ ended: string[] }>(["thread", "recover"])).toMatchObject({ ended: [] });
  });
});

it("blobs of threads that an older index lacks are kept, and the threads can be recovered", async () => {
  const older = join(cli.dir, "older.db");
  new DatabaseSync(index, PATIENT).exec(`VACUUM INTO '${older}'`);
  const later = await finished();
  const head = await waiting();
  const before = blobs();
  withoutIndex();
  copyFileSync(older, index);
  for (const _ of [1, 2]) await cli.json(["cas", "gc", "--grace", "0s"]);
  expect(blobs()).toEqual(before);
  const { ok, problems } = await cli
    .run(["--json", "cas", "fsck"])
    .then(({ stdout }): { ok: boolean; problems: { message: string }[] } => JSON.parse(stdout));
  expect([ok, problems.map(({ message }) => message).join()]).toEqual([
    false,
    expect.stringContaining(later),
  ]);
  const { atRest } = await cli.json<{ atRest: string[] }>(["thread", "recover"]);
  expect(await cli.json(["thread", "show", atRest[0] ?? ""])).toMatchObject({ head });
  expect(await cli.json(["thread", "verify", later])).toMatchObject({ ok: true });
  expect(await cli.json(["cas", "fsck"])).toMatchObject({ ok: true });
});

it("blobs of a removed thread are collected, although the history names it", async () => {
  await cli.json(["thread", "rm", ended]);
  expect(await cli.json(["cas", "fsck"])).toMatchObject({ ok: true });
  const { deletedEntries } = await cli
    .json(["cas", "gc", "--grace", "0s"])
    .then(() => cli.json<{ deletedEntries: number }>(["cas", "gc", "--grace", "0s"]));
  expect(deletedEntries).toBeGreaterThan(0);
  expect(blobs()).toEqual([]);
});

it("a root that got its first blob before its first thread is not damaged", async () => {
  const fresh = { env: { WORKFLOW_STORAGE_ROOT: join(cli.dir, "fresh") } };
  await cli.json(["cas", "put", "text"], fresh);
  expect(await cli.json(["thread", "list"], fresh)).toEqual({ threads: [] });
  expect((await cli.json<{ hashes: string[] }>(["cas", "list"], fresh)).hashes).toHaveLength(1);
});
