/** The host: one process that carries many threads, as built. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { leaseOf, type ThreadRecord, type ThreadView } from "@uncaged/workflow-protocol";
import { openThreadStore } from "@uncaged/workflow-store";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { freeze } from "./freeze.test.helper.ts";
import { type Hosted, hosted } from "./hosted.test.helper.ts";
import { ownerOf, rests, untilThread, untilThreads } from "./until-thread.test.helper.ts";
import { WILD_WORKFLOW } from "./wild-workflow.ts";

/** How many threads are under way when the host is killed. */
const UNDER_WAY = Number(process.env.UNCAGED_TEST_HOSTED ?? 6);

let cli: Cli;
let host: Hosted;

beforeAll(async () => {
  cli = openCli();
  host = hosted(cli);
  await cli.addSteps("steps");
  await addWild("wild");
});
afterEach(async () => {
  await cli.run(["down"]);
});
afterAll(() => cli.close());

async function addWild(name: string): Promise<void> {
  const folder = join(cli.dir, "flow");
  writeFileSync(join(folder, `${name}.mjs`), WILD_WORKFLOW);
  await cli.json(["workflow", "build", join(folder, `${name}.mjs`)]);
  await cli.json(["workflow", "add", name, join(folder, "dist", `${name}.esm.js`)]);
}

const up = (): Promise<number> => host.up();

type Status = {
  host: { pid: number; workers: { pid: number; threads: number }[]; resting: unknown[] } | null;
};

async function workers(): Promise<number[]> {
  const { host: seen } = await cli.json<Status>(["status"]);
  return seen?.workers.map(({ pid }) => pid) ?? [];
}

/** A working directory for one test. */
function place(name: string): string {
  const folder = join(cli.dir, name);
  mkdirSync(folder);
  return folder;
}

async function start(workflow: string, prompt: string, cwd: string): Promise<string> {
  const words = ["run", workflow, "--prompt", prompt, "--cwd", cwd];
  return (await cli.json<{ threadId: string }>(words)).threadId;
}

const tame = (cwd: string): void => writeFileSync(join(cwd, "tame"), "");
const began = (cwd: string, threadId: string): number[] =>
  readFileSync(join(cwd, `began-${threadId}`), "utf8")
    .trim()
    .split("\n")
    .map(Number);
const fenceOf = (thread: ThreadRecord): number => leaseOf(thread)?.fence ?? 0;

/** All threads of a folder, once each has begun its second step. */
async function atStepTwo(cwd: string, threadIds: readonly string[]): Promise<void> {
  for (const threadId of threadIds)
    await untilThread(
      cli.root,
      threadId,
      ({ stepCount }) =>
        stepCount === 1 &&
        existsSync(join(cwd, `began-${threadId}`)) &&
        began(cwd, threadId).length > 1,
    );
}

describe("a host", () => {
  it("runs once per storage root, and reports its threads", async () => {
    const cwd = place("one");
    const pid = await up();
    expect(await cli.fails(["up"])).toMatchObject({ exit: 6, code: "HOST_RUNNING" });
    const threadId = await start("wild", "waits", cwd);
    const worker = await ownerOf(cli.root, threadId);
    expect(await cli.json(["status"])).toMatchObject({
      host: { pid, workers: [{ pid: worker, threads: 1 }], resting: [] },
      threads: { running: 1 },
    });
    tame(cwd);
    await untilThread(cli.root, threadId, rests);
    expect((await cli.json<ThreadView>(["thread", "show", threadId])).status).toBe("completed");
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
    expect(await cli.json(["down"])).toEqual({ pid });
    expect(await cli.json(["status"])).toMatchObject({ host: null });
    expect(await cli.json(["down"])).toEqual({ pid: null });
  });

  it("is steered by the same verbs as a runner", async () => {
    const cwd = place("steered");
    const pid = await up();
    const [paused, stopped, killed] = await Promise.all(
      ["paused", "stopped", "killed"].map(() => start("wild", "waits", cwd)),
    );
    if (paused === undefined || stopped === undefined || killed === undefined) throw new Error();
    await atStepTwo(cwd, [paused, stopped, killed]);
    await cli.json(["thread", "stop", stopped]);
    await cli.json(["thread", "kill", killed]);
    await cli.json(["thread", "pause", paused]);
    tame(cwd);
    expect((await untilThread(cli.root, paused, rests)).status).toBe("paused");
    expect((await untilThread(cli.root, killed, rests)).status).toBe("aborted");
    expect((await untilThread(cli.root, stopped, rests)).status).toBe("idle");
    await cli.json(["thread", "resume", paused]);
    await cli.json(["thread", "resume", stopped]);
    for (const threadId of [paused, stopped]) {
      expect((await untilThread(cli.root, threadId, rests)).status).toBe("completed");
    }
    expect(await cli.json(["status"])).toMatchObject({ host: { pid } });
  });

  it("that is killed is followed by one that takes up its threads and repeats no finished step", async () => {
    const cwd = place("killed");
    await up();
    const threadIds: string[] = [];
    for (let made = 0; made < UNDER_WAY; made += 1)
      threadIds.push(await start("wild", "waits", cwd));
    await atStepTwo(cwd, threadIds);
    const [worker = 0] = await workers();
    await host.kill();
    process.kill(worker, "SIGKILL");
    await up();
    for (const threadId of threadIds)
      await untilThread(cli.root, threadId, (thread) => fenceOf(thread) > 1);
    tame(cwd);
    for (const threadId of threadIds) {
      expect((await untilThread(cli.root, threadId, rests)).status).toBe("completed");
      expect(began(cwd, threadId)).toEqual([1, 2, 2, 3]);
    }
    const [first = ""] = threadIds;
    expect(await cli.json(["thread", "verify", first])).toMatchObject({ ok: true });
  });

  it("that is killed without its workers takes no thread with it, and the next one leaves them alone", async () => {
    const cwd = place("alone");
    await up();
    const threadId = await start("wild", "waits", cwd);
    await atStepTwo(cwd, [threadId]);
    const worker = await ownerOf(cli.root, threadId);
    // A question of the host is under way: the worker reads it when nobody is left to answer.
    await freeze(cli.root, worker);
    await sleep(1_500);
    await host.kill();
    process.kill(worker, "SIGCONT");
    await up();
    expect(await ownerOf(cli.root, threadId)).toBe(worker);
    tame(cwd);
    expect((await untilThread(cli.root, threadId, rests)).status).toBe("completed");
    expect(began(cwd, threadId)).toEqual([1, 2, 3]);
    await expect.poll(() => isThere(worker), { timeout: 30_000 }).toBe(false);
  });

  it("that is ended parks its threads: they continue with the next host", async () => {
    const cwd = place("ended");
    await up();
    const threadId = await start("wild", "waits", cwd);
    await atStepTwo(cwd, [threadId]);
    await cli.json(["down"]);
    tame(cwd);
    expect((await cli.json<ThreadView>(["thread", "show", threadId])).status).toBe("idle");
    await up();
    expect(
      (await untilThread(cli.root, threadId, ({ status }) => status === "completed")).status,
    ).toBe("completed");
    expect(began(cwd, threadId)).toEqual([1, 2, 2, 3]);
  });

  it("takes up what a reboot left", async () => {
    const cwd = place("rebooted");
    const threadId = await start("wild", "waits", cwd);
    await atStepTwo(cwd, [threadId]);
    const runner = await ownerOf(cli.root, threadId);
    await freeze(cli.root, runner);
    await fromEarlierBoot(threadId);
    await up();
    await untilThread(cli.root, threadId, (thread) => fenceOf(thread) > 2);
    expect(await workers()).toEqual([await ownerOf(cli.root, threadId)]);
    tame(cwd);
    expect((await untilThread(cli.root, threadId, rests)).status).toBe("completed");
    process.kill(runner, "SIGKILL");
  });
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Changes the thread's owner and the host's file as if this machine had restarted since. */
async function fromEarlierBoot(threadId: string): Promise<void> {
  const store = await openThreadStore(cli.root);
  try {
    const thread = await store.get(threadId);
    const lease = thread && leaseOf(thread);
    if (lease === null) throw new Error("nobody runs it");
    const [, namespace, machine] = lease.process.bootId.split("/");
    const earlier = { ...lease.process, bootId: `00000000-0000/${namespace}/${machine}` };
    await store.acquire({
      threadId,
      process: earlier,
      ttlMs: 15_000,
      nowMs: Date.now(),
      replaces: lease.fence,
    });
    writeFileSync(
      join(cli.root, "host.json"),
      JSON.stringify({ process: earlier, since: 0, socket: "/nowhere" }),
    );
  } finally {
    await store.close();
  }
}

describe("a bundle", () => {
  it.each(["loops", "exits", "fills"])(
    "that %s takes only its own threads down, and they are taken up",
    async (how) => {
      const cwd = place(how);
      await up();
      const other = await start("steps", JSON.stringify({ steps: 1, gate: "go" }), cwd);
      const fence = fenceOf(await untilThread(cli.root, other, () => true));
      const beside = await start("wild", "waits", cwd);
      await atStepTwo(cwd, [beside]);
      writeFileSync(join(cwd, "once"), "");
      const wild = await start("wild", how, cwd);
      expect((await untilThread(cli.root, wild, rests)).status).toBe("completed");
      await untilThread(cli.root, beside, () => began(cwd, beside).length > 2);
      tame(cwd);
      expect((await untilThread(cli.root, beside, rests)).status).toBe("completed");
      expect([began(cwd, wild), began(cwd, beside)]).toEqual([
        [1, 2, 2, 3],
        [1, 2, 2, 3],
      ]);
      expect(fenceOf(await untilThread(cli.root, other, () => true))).toBe(fence);
      writeFileSync(join(cwd, "go-1"), "");
      expect((await untilThread(cli.root, other, rests)).status).toBe("completed");
    },
  );

  it("that ends its worker three times rests, with the reason, and runs in a separate runner when it is resumed", async () => {
    const cwd = place("rests");
    await up();
    const threadId = await start("wild", "exits", cwd);
    expect((await untilThread(cli.root, threadId, rests)).status).toBe("idle");
    expect(began(cwd, threadId)).toEqual([1, 2, 2, 2]);
    const { host: seen } = await cli.json<{ host: { pid: number; resting: unknown[] } }>([
      "status",
    ]);
    expect(seen.resting).toEqual([
      { bundleHash: expect.any(String), reason: expect.stringContaining("code 3") },
    ]);
    tame(cwd);
    await cli.json(["thread", "resume", threadId]);
    const done = await untilThreads(
      cli.root,
      (all) =>
        all.find((each) => each.threadId === threadId && each.status === "completed") ?? null,
    );
    expect(done.status).toBe("completed");
  });
});
