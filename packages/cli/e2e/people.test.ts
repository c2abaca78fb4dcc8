/** A person who plays a role: asked, answering, answering at the same time as another, and too late. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openThreadStore } from "@uncaged/workflow-store";
import { ownIdentity } from "@uncaged/workflow-util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";
import { untilThread } from "./until-thread.test.helper.ts";

/** CI asks for more. */
const KILLS = Number(process.env.UNCAGED_TEST_KILLS ?? 6);
/** About as long as an answer takes. */
const ANSWER_MS = 700;

type Step = {
  role: string;
  meta: Record<string, unknown>;
  outcome: string;
  run: {
    agent: { name: string };
    startedAt: number;
    completedAt: number;
    person?: { user: string | null; assignees: string[] };
  };
};
type Shown = { status: string; steps: Step[]; suspended: Record<string, unknown> | null };
type Waited = { threadId: string; status: string };

/** A draft that tells how long its prompt was. */
const WRITER = `text=$(cat)
printf '{"draft":"draft of %s"}' "\${#text}"
`;

const LATE_ENDS = "- { outcomes: [timeout], role: $END }";

/** `late`: the rule for a person who does not answer in time. */
function flow(timeoutMs: number, late: string): string {
  return `
description: A person approves a draft.
roles:
  writer:
    goal: Write a draft.
    output: { type: object, properties: { draft: { type: string } }, required: [draft], additionalProperties: false }
  approver:
    by: person
    goal: Decide whether the draft is good.
    assignees: [alice, editors]
    timeoutMs: ${timeoutMs}
    output:
      type: object
      properties:
        status: { enum: [approved, changes] }
        comment: { type: string }
      required: [status]
      additionalProperties: false
graph:
  $START: { new: writer }
  writer: { role: approver, prompt: "Is this good? {{ last.meta.draft }}" }
  approver:
    ${late}
    - { status: approved, role: $END }
    - { role: writer, prompt: "Change it: {{ last.meta.comment }}" }
`;
}

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  mkdirSync(cli.root, { recursive: true });
  writeFileSync(join(cli.dir, "writer.sh"), WRITER);
  const options = { command: "/bin/sh", args: [join(cli.dir, "writer.sh")], output: "json" };
  const agents = { writer: { package: "@uncaged/workflow-agent-command", options } };
  const config = { agents, defaultAgent: "writer" };
  writeFileSync(join(cli.root, "workflow.yaml"), JSON.stringify({ config }), { mode: 0o600 });
  writeFileSync(join(cli.dir, "patient.yaml"), flow(3_600_000, LATE_ENDS));
  writeFileSync(join(cli.dir, "hasty.yaml"), flow(1, LATE_ENDS));
  writeFileSync(join(cli.dir, "strict.yaml"), flow(1, ""));
  await cli.json(["workflow", "add", "patient", "patient.yaml"]);
  await cli.json(["workflow", "add", "hasty", "hasty.yaml"]);
  await cli.json(["workflow", "add", "strict", "strict.yaml"]);
});
afterAll(() => cli.close());

/** A thread that waits for its approver. */
async function asked(workflow: string): Promise<string> {
  const { code, stdout } = await cli.run([
    "--json",
    "run",
    workflow,
    "--prompt",
    "a draft",
    "--wait",
  ]);
  expect(code).toBe(7);
  const { threadId }: Waited = JSON.parse(stdout);
  return threadId;
}

const show = (threadId: string): Promise<Shown> => cli.here(["show", threadId]);

describe("a role that a person plays", () => {
  it("is asked with its question and form, and the answers are its steps", async () => {
    const threadId = await asked("patient");
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
    const threadId = await asked("patient");
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
    const threadId = await asked("hasty");
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
    const threadId = await asked("strict");
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
      const threadId = await asked("patient");
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

  it(`is answered or not, never half, when answer is killed at ${KILLS} random instants`, {
    timeout: 60_000 + KILLS * 30_000,
  }, async () => {
    for (let kills = 0; kills < KILLS; kills += 1) {
      const { threadId } = await cli.here<Waited>(["run", "patient", "--prompt", "x", "--idle"]);
      await cli.json(["thread", "exec", threadId]);
      const before = await show(threadId);
      expect(before).toMatchObject({ status: "suspended" });
      const child = spawn(process.execPath, [BIN, "answer", threadId, "status=approved"], {
        cwd: cli.dir,
        stdio: "ignore",
        env: { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root },
      });
      const ended = once(child, "exit");
      await sleep(Math.random() * ANSWER_MS);
      child.kill("SIGKILL");
      await ended;
      const { steps, status, suspended } = await show(threadId);
      if (steps.length === before.steps.length)
        expect({ status, suspended }).toEqual({
          status: "suspended",
          suspended: before.suspended,
        });
      else
        expect(steps.slice(before.steps.length)).toMatchObject([{ meta: { status: "approved" } }]);
      if (status === "suspended") await cli.json(["answer", threadId, "status=approved", "--wait"]);
      // Its runner may be on the way.
      else if (status === "idle") await cli.run(["resume", threadId]);
      await untilThread(cli.root, threadId, (thread) => thread.status === "completed");
      const { steps: all } = await show(threadId);
      expect(all.map(({ role }) => role)).toEqual(["writer", "approver"]);
      expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
    }
  });
});
