/** `answer` killed at random instants. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openApproverCli, type Shown } from "./approver.test.helper.ts";
import { BIN, type Cli } from "./cli.test.helper.ts";
import { untilThread } from "./until-thread.test.helper.ts";

/** `npm run trials -- --long` asks for more. */
const KILLS = Number(process.env.UNCAGED_TEST_KILLS ?? 6);
/** About as long as an answer takes. */
const ANSWER_MS = 700;

let cli: Cli;
beforeAll(async () => {
  cli = await openApproverCli();
});
afterAll(() => cli.close());

const show = (threadId: string): Promise<Shown> => cli.here(["show", threadId]);

it(`a person's question is answered or not, never half, when answer is killed at ${KILLS} random instants`, {
  timeout: 60_000 + KILLS * 30_000,
}, async () => {
  for (let kills = 0; kills < KILLS; kills += 1) {
    const { threadId } = await cli.here<{ threadId: string }>([
      "run",
      "patient",
      "--prompt",
      "x",
      "--idle",
    ]);
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
    else expect(steps.slice(before.steps.length)).toMatchObject([{ meta: { status: "approved" } }]);
    if (status === "suspended") await cli.json(["answer", threadId, "status=approved", "--wait"]);
    // Its runner may be on the way.
    else if (status === "idle") await cli.run(["resume", threadId]);
    await untilThread(cli.root, threadId, (thread) => thread.status === "completed");
    const { steps: all } = await show(threadId);
    expect(all.map(({ role }) => role)).toEqual(["writer", "approver"]);
    expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
  }
});
