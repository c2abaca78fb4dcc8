/** A storage root whose blobs are rows of the index: everything works as with files, and blobs are moved
 *  either way while the root is in use. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isFinished, leaseOf, type ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { untilThread } from "./until-thread.test.helper.ts";

const KILLS = Number(process.env.UNCAGED_TEST_KILLS ?? 12);
/** Enough for a busy machine. */
const LIMIT_MS = 60_000 + KILLS * 15_000;
const STEPS = 12;

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

type Moved = { ok: boolean; store: string; moved: number; tooLong: number; problems: unknown[] };

const files = (): string[] => {
  const dir = join(cli.root, "cas");
  return existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith(".txt")) : [];
};
const prompt = (sleepMs: number): string => JSON.stringify({ steps: STEPS, sleepMs });
const start = (sleepMs: number, ...flags: string[]): Promise<{ threadId: string }> =>
  cli.json(["thread", "run", "steps", ...flags, "--cwd", work(), "--prompt", prompt(sleepMs)]);

function work(): string {
  const folder = join(cli.dir, "work", String(Math.random()).slice(2));
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function verified(threadId: string): Promise<ThreadView> {
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true, problems: [] });
  expect(await cli.json(["cas", "fsck"])).toMatchObject({ ok: true, problems: [] });
  return cli.json<ThreadView>(["thread", "show", threadId]);
}

describe("a storage root", () => {
  it("is packed, and packed again without effect; its configuration says so", async () => {
    const { threadId } = await start(0, "--wait");
    const long = await cli.json<{ hash: string }>(["cas", "put", "-"], {
      stdin: "x".repeat(300_000),
    });
    const { hashes } = await cli.json<{ hashes: string[] }>(["cas", "list"]);
    const first = await cli.json<Moved>(["cas", "pack"]);
    expect(first).toEqual({
      ok: true,
      store: "packed",
      moved: hashes.length - 1,
      tooLong: 1,
      problems: [],
    });
    expect(files()).toEqual([`${long.hash}.txt`]);
    expect(readFileSync(join(cli.root, "workflow.yaml"), "utf8")).toContain("store: packed");
    expect(await cli.json(["cas", "list"])).toEqual({ hashes });
    expect(await cli.json<Moved>(["cas", "pack"])).toMatchObject({ moved: 0, tooLong: 1 });
    await verified(threadId);
  });

  it("runs threads without a file", async () => {
    const before = files();
    const { threadId } = await start(0, "--wait");
    expect(files()).toEqual(before);
    expect((await verified(threadId)).status).toBe("completed");
  });

  it("puts, gets, shows, deletes and collects", async () => {
    const { hash } = await cli.json<{ hash: string }>(["cas", "put", "a row"]);
    expect((await cli.run(["cas", "get", hash, "--payload"])).stdout).toBe("a row");
    expect(await cli.json(["cas", "show", hash])).toMatchObject({ payload: "a row" });
    expect(await cli.json(["cas", "rm", hash])).toEqual({ hash, removed: true });
    await cli.json(["cas", "put", "a row"]);
    expect(await cli.json(["cas", "gc"])).toMatchObject({ setAside: 2, deletedEntries: 0 });
    expect((await cli.json<{ hashes: string[] }>(["cas", "list"])).hashes).not.toContain(hash);
    expect((await cli.run(["cas", "get", hash, "--payload"])).stdout).toBe("a row");
    expect(await cli.json(["doctor"])).toMatchObject({ ok: true });
  });

  it("stays readable when its configuration is changed by hand", async () => {
    const file = join(cli.root, "workflow.yaml");
    const { hashes } = await cli.json<{ hashes: string[] }>(["cas", "list"]);
    writeFileSync(file, readFileSync(file, "utf8").replace("store: packed", "store: files"));
    expect(await cli.json(["cas", "list"])).toEqual({ hashes });
    const { threadId } = await start(0, "--wait");
    expect(files().length).toBeGreaterThan(STEPS);
    await verified(threadId);
    writeFileSync(file, readFileSync(file, "utf8").replace("store: files", "store: boxes"));
    expect(await cli.fails(["cas", "list"])).toMatchObject({ code: "CONFIG_INVALID" });
    writeFileSync(file, readFileSync(file, "utf8").replace("store: boxes", "store: packed"));
  });

  it("is unpacked into exactly the same files", async () => {
    const { hashes } = await cli.json<{ hashes: string[] }>(["cas", "list"]);
    expect(await cli.json<Moved>(["cas", "unpack"])).toMatchObject({ ok: true, store: "files" });
    expect(files().sort()).toEqual(hashes.map((hash) => `${hash}.txt`).sort());
    expect(await cli.json(["cas", "fsck"])).toMatchObject({ ok: true, checked: hashes.length });
  });

  it("leaves a damaged blob in place and says so", async () => {
    const { hash } = await cli.json<{ hash: string }>(["cas", "put", "soon damaged"]);
    writeFileSync(join(cli.root, "cas", `${hash}.txt`), "rot");
    const { code, stdout } = await cli.run(["cas", "pack", "--json"]);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: [{ code: "CAS_CORRUPT", hash }],
    });
    expect(files()).toContain(`${hash}.txt`);
    await cli.json(["cas", "rm", hash, "--force"]);
  });

  it(`is moved back and forth while a thread runs, and ${KILLS} movers are killed`, {
    timeout: LIMIT_MS,
  }, async () => {
    const { threadId } = await start(40);
    for (let kills = 0; kills < KILLS; kills += 1) {
      await killed(["cas", kills % 2 === 0 ? "pack" : "unpack"], Math.random() * 250);
      expect(await cli.json(["cas", "fsck"])).toMatchObject({ ok: true, problems: [] });
    }
    // Both at the same time, until each ends.
    await Promise.all([cli.json(["cas", "pack"]), cli.json(["cas", "unpack"])]);
    await ended(threadId);
    const { status, steps } = await verified(threadId);
    expect([status, steps.length]).toEqual(["completed", STEPS + 1]);
    await cli.json(["cas", "unpack"]);
    await verified(threadId);
  });

  it(`loses no step of a packed thread whose runner is killed`, {
    timeout: LIMIT_MS,
  }, async () => {
    await cli.json(["cas", "pack"]);
    const { threadId } = await start(20, "--idle");
    let known: string[] = [];
    for (let tries = 0; tries < 60; tries += 1) {
      await cli.json(["thread", "resume", threadId]);
      // Later and later: on a busy machine a runner needs longer to get anywhere.
      await killRunner(threadId, Math.random() * 250 * (1 + tries / 10));
      const { status, steps } = await verified(threadId);
      const hashes = steps.map(({ stateHash }) => stateHash);
      expect(hashes.slice(0, known.length)).toEqual(known);
      known = hashes;
      if (status === "completed") break;
    }
    const { status, steps } = await verified(threadId);
    expect([status, steps.length]).toEqual(["completed", STEPS + 1]);
    expect(files().filter((name) => steps.some((step) => name.startsWith(step.stateHash)))).toEqual(
      [],
    );
  });
});

/** Runs a command and kills it after this long, unless it has ended. */
async function killed(args: readonly string[], afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root },
    stdio: "ignore",
  });
  const exit = once(child, "exit");
  await sleep(afterMs);
  child.kill("SIGKILL");
  await exit;
}

async function killRunner(threadId: string, afterMs: number): Promise<void> {
  const lease = leaseOf(await untilThread(cli.root, threadId, () => true));
  await sleep(afterMs);
  if (lease !== null) await killHard(lease.process.pid);
}

async function ended(threadId: string): Promise<void> {
  await untilThread(cli.root, threadId, isFinished);
}
