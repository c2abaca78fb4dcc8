/** People as members of a group: each is asked and answers separately. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ThreadSummary } from "@uncaged/workflow-protocol";
import { openThreadStore } from "@uncaged/workflow-store";
import { ownIdentity } from "@uncaged/workflow-util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cli } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { heldThread, openGroupCli, place, type Shown } from "./people-group.test.helper.ts";
import { ownerOf, rests, untilThread } from "./until-thread.test.helper.ts";

let cli: Cli;
beforeAll(async () => {
  cli = await openGroupCli();
});
afterAll(() => cli.close());

/** A thread that waits for both people. */
async function asked(workflow: string, cwd = cli.dir): Promise<string> {
  const words = ["--json", "run", workflow, "--prompt", "look", "--wait", "--cwd", cwd];
  const { code, stdout } = await cli.run(words);
  expect(code).toBe(7);
  const { threadId }: { threadId: string } = JSON.parse(stdout);
  return threadId;
}

const show = (threadId: string): Promise<Shown> => cli.here(["show", threadId]);
const answer = (threadId: string, member: number, ...more: string[]): ReturnType<Cli["run"]> =>
  cli.run(["--json", "answer", threadId, "--member", `${member}`, ...more]);
const marks = ({ steps }: Shown): unknown[] =>
  steps.map(({ role, group, outcome }) => [
    role,
    group?.index,
    ...(outcome === "ok" ? [] : [outcome]),
  ]);

describe("people in a group", () => {
  it("are waited for once nothing else is left to run, and answer in any order with the same result", async () => {
    const results: unknown[] = [];
    for (const order of [
      [1, 3],
      [3, 1],
    ] as const) {
      const threadId = await asked("all");
      const { waits } = await show(threadId);
      expect(waits.map(({ role, message, member }) => [role, message, member])).toEqual([
        ["alice", "Is it good, Alice?", 0],
        ["bob", "Is it good, Bob?", 2],
      ]);
      expect(waits[1]?.deadline).toBe((waits[1]?.since ?? 0) + 3_600_000);
      const { stdout: inbox } = await cli.run(["inbox"]);
      expect(inbox).toContain("  alice [review 1/3]: Is it good, Alice?");
      expect(inbox).toContain("  bob [review 3/3]: Is it good, Bob?");
      expect(inbox).toContain(`answer ${threadId} --member 3 status=<ok|bad>`);

      const unclear = await cli.fails(["answer", threadId, "status=ok"]);
      expect(unclear).toMatchObject({ exit: 2, code: "ANSWER_INVALID" });
      expect(unclear.message).toContain(
        "waits for several people; it waits for: 1 (alice), 3 (bob)",
      );
      const wrong = await cli.fails(["answer", threadId, "--member", "2", "status=ok"]);
      expect(wrong.message).toContain("not for member 2");

      const [first, second] = order;
      expect((await answer(threadId, first, "status=ok", "--wait")).code).toBe(7);
      const left = await show(threadId);
      expect(left.waits).toEqual(waits.filter(({ member }) => member === second - 1));
      expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
      // Only one is left, so none has to be named.
      const done = await cli.json(["answer", threadId, "status=bad", "--wait"]);
      expect(done).toMatchObject({ status: "completed" });
      const shown = await show(threadId);
      expect(marks(shown)).toEqual([
        ["reviewer", 1],
        [first === 1 ? "alice" : "bob", first - 1],
        [second === 1 ? "alice" : "bob", second - 1],
      ]);
      expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
      const { stdout } = await cli.run(["--json", "live", threadId]);
      const told = stdout
        .trim()
        .split("\n")
        .map((line): { type: string; role?: string } => JSON.parse(line))
        .filter(({ type }) => type === "step_completed");
      expect(told.map(({ role }) => role)).toEqual(shown.steps.map(({ role }) => role));
      results.push(shown.steps.toSorted((a, b) => place(a) - place(b)).map(({ route }) => route));
    }
    expect(results[0]).toEqual(results[1]);
  });

  it("who answer at the same moment are both accepted", async () => {
    const threadId = await asked("all");
    const both = [answer(threadId, 1, "status=ok"), answer(threadId, 3, "status=ok")];
    expect((await Promise.all(both)).map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    await untilThread(cli.root, threadId, ({ status }) => status === "completed");
    const result = await cli.here(["thread", "result", threadId]);
    expect(result).toMatchObject({ result: ["alice ok", "reviewer ok", "bob ok"] });
  });

  it("are no longer needed once the group has joined", async () => {
    const threadId = await asked("any");
    const done = await cli.json(["answer", threadId, "--member", "3", "status=ok", "--wait"]);
    expect(done).toMatchObject({ status: "completed", result: ["reviewer ok", "bob ok"] });
    expect(await cli.fails(["answer", threadId, "--member", "1", "status=ok"])).toMatchObject({
      code: "TRANSITION_INVALID",
    });
    expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("may be late one by one, and the others are still waited for", async () => {
    const threadId = await asked("hasty");
    const { waits } = await show(threadId);
    const deadline = waits[2]?.deadline ?? 0;
    expect(deadline).toBe((waits[2]?.since ?? 0) + 1_500);
    while (Date.now() <= deadline) await sleep(20);
    const late = await cli.fails(["answer", threadId, "--member", "3", "status=ok"]);
    expect(late).toMatchObject({ code: "ANSWER_LATE" });
    await untilThread(cli.root, threadId, (thread) => thread.stepCount === 1 && rests(thread));
    const shown = await show(threadId);
    expect(marks(shown)).toEqual([["bob", 2, "timeout"]]);
    expect(shown.waits).toEqual(waits.slice(0, 2));
    expect((await answer(threadId, 2, "status=ok")).code).toBe(0);
    const done = await cli.json(["answer", threadId, "status=ok", "--wait"]);
    expect(done).toMatchObject({
      ...{ status: "completed", result: ["alice ok", "alice ok", "bob timeout"] },
    });
    expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("are asked beside its agents, and their answers are steps while those run", async () => {
    const { threadId, cwd } = await heldThread(cli);
    const { waits } = await show(threadId);
    expect(waits.map(({ role, member }) => [role, member])).toEqual([
      ["alice", 0],
      ["bob", 2],
    ]);
    const { stdout: inbox } = await cli.run(["inbox"]);
    expect(inbox).toContain(`answer ${threadId} --member 3 status=<ok|bad>`);
    const ps = await cli.here<{ waiting: ThreadSummary[] }>(["ps"]);
    expect(ps.waiting).toContainEqual(
      expect.objectContaining({ threadId, status: "running", waits }),
    );
    expect((await answer(threadId, 3, "status=ok")).code).toBe(0);
    await untilThread(cli.root, threadId, ({ stepCount }) => stepCount === 1);
    const meanwhile = await show(threadId);
    expect(meanwhile).toMatchObject({ status: "running", waits: [waits[0]] });
    expect(marks(meanwhile)).toEqual([["bob", 2]]);
    expect(await cli.fails(["answer", threadId, "--member", "3", "status=ok"])).toMatchObject({
      code: "ANSWER_INVALID",
    });
    rmSync(join(cwd, "hold"));
    await untilThread(cli.root, threadId, ({ status }) => status === "suspended");
    // The same question: nobody was asked twice.
    expect((await show(threadId)).waits).toEqual([waits[0]]);
    const done = await cli.json(["answer", threadId, "status=ok", "--wait"]);
    expect(done).toMatchObject({ result: ["alice ok", "reviewer ok", "bob ok"] });
    expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("stay asked after a crash of the runner; what they answer then counts, and no finished member runs again", async () => {
    const { threadId, cwd } = await heldThread(cli);
    const { waits } = await show(threadId);
    expect((await answer(threadId, 3, "status=ok")).code).toBe(0);
    await untilThread(cli.root, threadId, ({ stepCount }) => stepCount === 1);
    await killHard(await ownerOf(cli.root, threadId));
    expect((await show(threadId)).waits).toEqual([waits[0]]);
    const listed = await cli.here<{ threads: ThreadSummary[] }>(["inbox"]);
    expect(listed.threads.find((each) => each.threadId === threadId)?.waits).toEqual([waits[0]]);
    rmSync(join(cwd, "hold"));
    // It also has the thread continued, as any answer has.
    expect((await answer(threadId, 1, "status=ok")).code).toBe(0);
    await untilThread(cli.root, threadId, ({ status }) => status === "completed");
    const shown = await show(threadId);
    expect(marks(shown)).toEqual([
      ["bob", 2],
      ["alice", 0],
      ["reviewer", 1],
    ]);
    // Once before the crash, and once for its step.
    expect(readFileSync(join(cwd, "reviewed"), "utf8")).toBe("xx");
    expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("are asked by the inbox if the runner died before it could ask, as long as no agent has to run", async () => {
    const threadId = await asked("all");
    const store = await openThreadStore(cli.root);
    const process = { ...ownIdentity(), pid: 2 ** 22 + 1 };
    await store.acquire({ threadId, process, ttlMs: 60_000, nowMs: Date.now(), replaces: null });
    await store.close();
    expect(await show(threadId)).toMatchObject({ status: "idle", waits: [] });
    const { threads } = await cli.json<{ threads: ThreadSummary[] }>(["inbox"]);
    const left = threads.find((each) => each.threadId === threadId);
    expect(left).toMatchObject({
      status: "suspended",
      waits: [{ role: "alice" }, { role: "bob" }],
    });

    const { threadId: begun } = await heldThread(cli);
    await killHard(await ownerOf(cli.root, begun));
    await cli.json(["inbox"]);
    // Its agent still has to run: that is for the host, or for whoever resumes it.
    expect((await show(begun)).status).toBe("idle");
    expect(await ownerOf(cli.root, begun)).toBeGreaterThan(0);
    await cli.json(["thread", "kill", begun]);
  });

  it("stay asked while the thread is stopped, and the answer counts when it is continued", async () => {
    const { threadId, cwd } = await heldThread(cli);
    const { waits } = await show(threadId);
    await cli.json(["thread", "stop", threadId]);
    expect((await show(threadId)).waits).toEqual(waits);
    const { stdout } = await cli.run(["answer", threadId, "--member", "1", "status=ok"]);
    expect(stdout).toContain(`the answer counts once it goes on: uncaged-workflow thread resume`);
    expect(await show(threadId)).toMatchObject({ status: "idle", steps: [], waits: [waits[1]] });
    rmSync(join(cwd, "hold"));
    expect((await cli.run(["resume", threadId, "--wait"])).code).toBe(7);
    expect(await show(threadId)).toMatchObject({ status: "suspended", waits: [waits[1]] });
    const done = await cli.json(["answer", threadId, "status=ok", "--wait"]);
    expect(done).toMatchObject({ result: ["alice ok", "reviewer ok", "bob ok"] });
    expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("are asked again by a fork from within the group", async () => {
    const threadId = await asked("all");
    await answer(threadId, 3, "status=bad");
    const fork = ["thread", "fork", threadId, "--from-step", "1"];
    const forked = await cli.json<{ threadId: string }>(fork);
    await untilThread(cli.root, forked.threadId, ({ status }) => status === "suspended");
    const { waits, steps } = await show(forked.threadId);
    expect(steps).toHaveLength(1);
    expect(waits.map(({ member }) => member)).toEqual([0, 2]);
    await Promise.all([
      answer(forked.threadId, 1, "status=ok"),
      answer(forked.threadId, 3, "status=ok"),
    ]);
    await untilThread(cli.root, forked.threadId, ({ status }) => status === "completed");
    expect(await cli.here(["thread", "verify", forked.threadId])).toMatchObject({ ok: true });
    const list = await cli.here<{ threads: ThreadSummary[] }>(["inbox"]);
    const left = list.threads.find((each) => each.threadId === threadId);
    expect(left?.waits).toMatchObject([{ role: "alice" }]);
  });

  it("are waited for by exec", async () => {
    const { threadId } = await cli.json<{ threadId: string }>([
      ...["run", "all", "--prompt", "look", "--idle"],
    ]);
    const { stdout } = await cli.run(["--json", "thread", "exec", threadId]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "suspended" });
    expect((await show(threadId)).waits).toHaveLength(2);
  });
});
