/** The whole life of one workflow, using only the built command, in a root in its folder and in one in PostgreSQL. Each
 *  step builds on the one before. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadSummary, ThreadView } from "@uncaged/workflow-protocol";
import { testRoot } from "@uncaged/workflow-store-postgres/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

let cli: Cli;
const PLAN = JSON.stringify({ steps: 4, gate: "go" });
/** Lets step n of the worker finish. */
const open = (step: number): void => writeFileSync(join(cli.dir, `go-${step}`), "");
let first: { hash: string };
let threadId: string;

const show = (id: string): Promise<ThreadView> => cli.json<ThreadView>(["thread", "show", id]);

/** Polls; returns the first value that fits. */
async function until(id: string, fits: (thread: ThreadView) => boolean): Promise<ThreadView> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const thread = await show(id);
    if (fits(thread)) return thread;
  }
  throw new Error(`thread ${id} never came there: ${JSON.stringify(await show(id))}`);
}

const keys = (document: object): string[] => Object.keys(document).sort();

const ROOTS: readonly [string, () => Promise<unknown>][] = [
  ["its folder", async () => {}],
  [
    "PostgreSQL",
    async () => {
      const { url, root } = await testRoot();
      await cli.json(["root", "init", "--postgres", url, "--name", root]);
    },
  ],
];

describe.each(ROOTS)("the life of a workflow, with its root in %s", (_, init) => {
  beforeAll(async () => {
    cli = openCli();
    await init();
  });
  afterAll(() => cli.close());

  it("begins with building and adding it", async () => {
    first = await cli.addSteps("steps");
    expect(first).toEqual({
      name: "steps",
      hash: expect.stringMatching(/^[0-9A-F][0-9A-Z]{12}$/),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      previous: null,
    });
  });

  it("runs in the background, and the same key starts it once", async () => {
    const run = ["run", "steps", "--prompt", PLAN, "--id-key", "life"];
    const started = await cli.json<{ threadId: string }>(run);
    expect(keys(started)).toEqual(["threadId"]);
    threadId = started.threadId;
    expect(await cli.json(run)).toEqual({ threadId });
  });

  it("is shown while it runs", async () => {
    const { threads } = await cli.json<{ threads: ThreadSummary[] }>(["thread", "ps"]);
    expect(threads.map((thread) => [thread.threadId, thread.status])).toEqual([
      [threadId, "running"],
    ]);
    expect(keys(threads[0] ?? {})).toEqual(
      expect.arrayContaining([
        "bundleHash",
        "head",
        "status",
        "stepCount",
        "threadId",
        "updatedAt",
        "workflow",
      ]),
    );
    open(1);
    const thread = await until(threadId, ({ steps }) => steps.length > 0);
    expect(keys(thread)).toEqual(
      expect.arrayContaining([
        "bundleHash",
        "head",
        "result",
        "start",
        "status",
        "steps",
        "suspended",
        "threadId",
        "workflow",
      ]),
    );
    expect(keys(thread.start)).toEqual(["depth", "hash", "parentState", "prompt", "timestamp"]);
    expect(thread.start.prompt).toBe(PLAN);
    expect(thread.steps[0]).toMatchObject({
      round: 1,
      role: "worker",
      meta: { step: 1, left: 3 },
      content: "step 1",
      stateHash: expect.any(String),
      contentHash: expect.any(String),
      timestamp: expect.any(Number),
      childThread: null,
      route: { from: "__start__", condition: "FALLBACK" },
      run: null,
    });
  });

  it("pauses after the step that runs, from any terminal", async () => {
    expect(await cli.json(["thread", "pause", threadId])).toMatchObject({
      threadId,
      pausing: true,
    });
    open(2);
    const paused = await until(threadId, ({ status }) => status === "paused");
    expect(paused.result).toBeNull();
    expect(paused.steps.length).toBe(2);
  });

  it("continues when it is resumed, and stops at once when told to", async () => {
    expect(await cli.json(["thread", "resume", threadId])).toMatchObject({ status: "running" });
    open(3);
    await until(threadId, ({ steps }) => steps.length === 3);
    expect(await cli.json(["thread", "stop", threadId])).toMatchObject({ status: "idle" });
    const { threads } = await cli.json<{ threads: unknown[] }>(["thread", "ps"]);
    expect(threads).toEqual([]);
  });

  it("continues to its end after a stop, and repeats no completed step", async () => {
    await cli.json(["thread", "resume", threadId]);
    open(4);
    const ended = await cli.json(["run", "steps", "--id-key", "life", "--prompt", PLAN, "--wait"]);
    expect(ended).toMatchObject({ threadId, status: "completed", returnCode: 0 });
    expect(keys(ended)).toEqual(
      expect.arrayContaining(["returnCode", "rootHash", "status", "summary", "threadId"]),
    );
    const { steps, result, head } = await show(threadId);
    expect(steps.map(({ role }) => role)).toEqual([
      "worker",
      "worker",
      "worker",
      "worker",
      "checker",
    ]);
    expect(result).toEqual({ returnCode: 0, summary: ended.summary, rootHash: head });
    // The stop interrupted the fourth step, which began twice if it had begun at all.
    const began = readFileSync(join(cli.dir, "began"), "utf8");
    expect(began).toMatch(/^1\n2\n3\n4\n(4\n)?$/);
  });

  it("is found by the end of its id, as git does with commits", async () => {
    expect((await show(threadId.slice(-6).toLowerCase())).threadId).toBe(threadId);
  });

  it("forks from a step, shares what came before, and continues", async () => {
    const original = await show(threadId);
    const forked = await cli.json<{ threadId: string; head: string; forkedFrom: object }>([
      "thread",
      "fork",
      threadId,
      "--from-step",
      "2",
    ]);
    expect(forked).toEqual({
      threadId: expect.not.stringContaining(threadId),
      head: original.steps[1]?.stateHash,
      forkedFrom: { threadId, stateHash: original.steps[1]?.stateHash },
    });
    const ended = await until(forked.threadId, ({ status }) => status === "completed");
    expect(ended.steps.slice(0, 2)).toEqual(original.steps.slice(0, 2));
    expect(ended.steps[2]?.stateHash).not.toBe(original.steps[2]?.stateHash);
  });

  it("forks from a role, waits, and is driven step by step in the foreground", async () => {
    const forked = await cli.json<{ threadId: string }>([
      "thread",
      "fork",
      threadId,
      "--from-role",
      "worker",
      "--idle",
    ]);
    const one = await cli.json(["thread", "exec", forked.threadId]);
    expect(keys(one)).toEqual(
      expect.arrayContaining(["head", "nextRole", "status", "steps", "threadId"]),
    );
    // After the checker, only the end is left.
    expect(one).toMatchObject({ status: "completed", nextRole: null });
    expect(one.steps).toMatchObject([{ round: 5, role: "checker" }]);
  });

  it("ends for good when it is killed, with return code 130", async () => {
    const { threadId: victim } = await cli.json<{ threadId: string }>([
      "run",
      "steps",
      "-p",
      JSON.stringify({ gate: "never" }),
    ]);
    expect(await cli.json(["thread", "kill", victim])).toMatchObject({ status: "aborted" });
    expect((await show(victim)).result).toMatchObject({ returnCode: 130 });
    expect(await cli.fails(["thread", "resume", victim])).toMatchObject({
      exit: 3,
      code: "TRANSITION_INVALID",
    });
  });

  it("has versions: a new one is added, then rolled back", async () => {
    const second = await cli.addSteps("steps", "works step by step, and better");
    expect(second).toMatchObject({ previous: first.hash });
    expect(second.hash).not.toBe(first.hash);
    expect(await cli.json(["workflow", "rollback", "steps"])).toMatchObject({
      name: "steps",
      hash: first.hash,
      previous: second.hash,
    });
    const { history } = await cli.json<{ history: { hash: string }[] }>([
      "workflow",
      "history",
      "steps",
    ]);
    expect(history[0]?.hash).toBe(second.hash);
  });

  it("leaves garbage, which is collected while everything in use stays", async () => {
    const garbage = await cli.json<{ hash: string }>(["cas", "put", "nobody needs this"]);
    const dry = await cli.json(["cas", "gc", "--dry-run"]);
    expect(dry).toMatchObject({ scannedThreads: 4, setAside: expect.any(Number) });
    const collected = await cli.json(["cas", "gc", "--grace", "0"]);
    expect(collected).toEqual({ ...dry, dryRun: false });
    const { hashes } = await cli.json<{ hashes: string[] }>(["cas", "list"]);
    expect(hashes).not.toContain(garbage.hash);
    expect(hashes.length).toBe(collected.activeRefs);
  });

  it("is found sound, as a whole and thread by thread", async () => {
    const fsck = await cli.json(["cas", "fsck"]);
    expect(fsck).toEqual({ ok: true, checked: expect.any(Number), problems: [] });
    const { threads } = await cli.json<{ threads: ThreadSummary[] }>(["thread", "list", "steps"]);
    expect(threads).toHaveLength(4);
    for (const thread of threads) {
      expect(await cli.json(["thread", "verify", thread.threadId])).toMatchObject({ ok: true });
    }
  });

  it("is no longer found once it is removed", async () => {
    expect(await cli.json(["thread", "rm", threadId])).toEqual({ threadId, removed: true });
    expect(await cli.fails(["thread", "show", threadId])).toMatchObject({
      exit: 1,
      code: "THREAD_NOT_FOUND",
    });
    const { threads } = await cli.json<{ threads: ThreadSummary[] }>(["thread", "list"]);
    expect(threads.map((thread) => thread.threadId)).not.toContain(threadId);
  });
});
