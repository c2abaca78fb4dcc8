/** A person who plays a role: asked, answering, answering at the same time as another, and too late. */
import { userInfo } from "node:os";
import { openThreadStore } from "@uncaged/workflow-store";
import { ownIdentity } from "@uncaged/workflow-util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asked, openApproverCli, type Shown } from "./approver.test.helper.ts";
import type { Cli } from "./cli.test.helper.ts";

type Waited = { threadId: string; status: string };

let cli: Cli;
beforeAll(async () => {
  cli = await openApproverCli();
});
afterAll(() => cli.close());

const show = (threadId: string): Promise<Shown> => cli.here(["show", threadId]);

describe("a role that a person plays", () => {
  it("is asked with its question and form, and the answers are its steps", async () => {
    const threadId = await asked(cli, "patient");
    const { suspended } = await show(threadId);
    expect(suspended).toMatchObject({
      kind: "person",
      role: "approver",
      message: expect.stringMatching(/^Is this good\? draft of \d+$/),
      form: { required: ["status"] },
      assignees: ["alice", "editors"],
    });
    const { stdout: inbox } = await cli.run(["inbox"]);
    expect(inbox).toContain("approver: Is this good? draft of");
    expect(inbox).toContain(`answer ${threadId} status=<approved|changes> [comment=<text>]`);

    expect(await cli.fails(["answer", threadId, "status=perhaps", "coment=no"])).toMatchObject({
      exit: 2,
      code: "ANSWER_INVALID",
      message: expect.stringMatching(/status: .*; .*coment/),
    });
    expect(await cli.fails(["resume", threadId, "-p", "yes"])).toMatchObject({ exit: 3 });
    expect(
      await cli.fails(["answer", threadId, "status=approved"], {
        env: { UNCAGED_RUN_MARK: `${threadId}:1:x` },
      }),
    ).toMatchObject({ exit: 1, code: "ANSWER_REFUSED" });

    for (const comment of ["Shorter", "Still shorter"]) {
      const again = await cli.run([
        ...["--json", "answer", threadId, "status=changes", `comment=${comment}`, "--wait"],
      ]);
      expect(again.code).toBe(7);
    }
    const done = await cli.json(["answer", threadId, '{"status":"approved"}', "--wait"]);
    expect(done).toMatchObject({ status: "completed" });

    const { steps } = await show(threadId);
    expect(steps.map(({ role }) => role)).toEqual([
      ...["writer", "approver", "writer", "approver", "writer", "approver"],
    ]);
    const { stdout: watched } = await cli.run(["--json", "live", threadId]);
    const events: { type: string; role?: string }[] = watched
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const told = events.filter(
      ({ type, role }) => type === "step_completed" && role === "approver",
    );
    expect(told).toHaveLength(3);
    const person = { user: userInfo().username, assignees: ["alice", "editors"] };
    expect(steps[1]).toMatchObject({
      meta: { status: "changes", comment: "Shorter" },
      run: { agent: { name: "person" }, person },
    });
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });

    const toAnswer = ["thread", "fork", threadId, "--from-step", "2", "--idle"];
    const fork = await cli.json<Waited>(toAnswer);
    expect(await cli.fails(["thread", "poke", fork.threadId, "-p", "again"])).toMatchObject({
      exit: 3,
      message: expect.stringContaining("is a person's"),
    });
  });

  it("is answered once, however many answer at the same moment", async () => {
    const threadId = await asked(cli, "patient");
    const answers = await Promise.all(
      ["approved", "approved"].map((status) =>
        cli.run(["--json", "answer", threadId, `status=${status}`]),
      ),
    );
    const losers = answers.filter(({ code }) => code !== 0);
    expect(losers).toHaveLength(1);
    const { error } = JSON.parse(losers[0]?.stderr ?? "{}");
    // If it read the thread before the other one wrote, the store refuses it; if after, the thread's status does.
    expect(["ANSWER_TAKEN", "TRANSITION_INVALID"]).toContain(error.code);
    await cli.run(["wait", threadId]);
    const { steps } = await show(threadId);
    expect(steps.map(({ role }) => role)).toEqual(["writer", "approver"]);
  });

  it("that is late counts as failed, and the thread continues by its rule for that", async () => {
    const threadId = await asked(cli, "hasty");
    expect(await cli.fails(["answer", threadId, "status=approved"])).toMatchObject({
      exit: 3,
      code: "ANSWER_LATE",
    });
    await cli.run(["wait", threadId]);
    const { status, steps } = await show(threadId);
    expect(status).toBe("completed");
    expect(steps.at(-1)).toMatchObject({
      role: "approver",
      outcome: "timeout",
      run: { person: { user: null } },
    });
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("that is late fails the thread when there is no rule for that", async () => {
    const threadId = await asked(cli, "strict");
    const { code, stdout } = await cli.run(["--json", "resume", threadId, "--wait"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "failed",
      summary: expect.stringMatching(/^AGENT_TIMEOUT: nobody answered for role approver/),
    });
  });

  it("is asked as soon as the step before is stored, and again in a fork", async () => {
    const { threadId } = await cli.json<Waited>(["run", "patient", "--prompt", "x", "--idle"]);
    expect(await cli.json(["thread", "exec", threadId])).toMatchObject({
      status: "suspended",
      nextRole: "approver",
    });
    const fork = await cli.json<Waited>(["thread", "fork", threadId, "--from-step", "1"]);
    await cli.run(["wait", fork.threadId]);
    expect(await show(fork.threadId)).toMatchObject({ status: "suspended" });
    const other = await cli.json(["answer", fork.threadId, "status=approved", "--wait"]);
    expect(other).toMatchObject({ status: "completed" });
  });

  it("is asked although the runner died before it could ask", async () => {
    for (const how of ["inbox", "answer"] as const) {
      const threadId = await asked(cli, "patient");
      const store = await openThreadStore(cli.root);
      // As a runner leaves it that has stored the step before the question and is killed.
      const process = { ...ownIdentity(), pid: 2 ** 22 + 1 };
      await store.acquire({ threadId, process, ttlMs: 60_000, nowMs: Date.now(), replaces: null });
      await store.close();
      expect(await show(threadId)).toMatchObject({ status: "idle", suspended: null });
      if (how === "inbox") {
        const { threads } = await cli.json<{ threads: { threadId: string; waits: unknown[] }[] }>([
          "inbox",
        ]);
        const left = threads.find((each) => each.threadId === threadId);
        expect(left).toMatchObject({ status: "suspended", waits: [{ role: "approver" }] });
      }
      const done = await cli.json(["answer", threadId, "status=approved", "--wait"]);
      expect(done).toMatchObject({ status: "completed" });
      expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
    }
  });
});
