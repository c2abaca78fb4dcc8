/** Unplanned ends of whole threads: the engine, the agent or the thread is killed while a tool of a real program
 *  runs, in the second step of its role. */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { findTagged, runMembers } from "@uncaged/workflow-util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AgentUnderTest,
  installPrograms,
  openStage,
  type Stage,
  TWO_STEPS_WORKFLOW,
} from "../src/index.ts";

const INSTALL_LIMIT_MS = 6 * 60_000;
const STOP_LIMIT_MS = 240_000;
const POLL_MS = 100;

/** The first time it never ends. */
const TOOL = "if test -e began; then echo again; else touch began; exec tail -f /dev/null; fi";
const SCRIPTS = {
  "1 worker": '[[json:{"status":"more"}]]',
  "2 worker": `[[shell:${TOOL}]] [[json:{"status":"done"}]]`,
};

export function describeStops(agent: AgentUnderTest): void {
  describe(agent.name, () => {
    let stage: Stage;
    beforeAll(async () => {
      const [program] = await installPrograms([agent.program]);
      if (program === undefined) throw new Error(`${agent.program} is not installed`);
      stage = await openStage({
        binding: (url) => agent.binding(program, url),
        scripts: () => SCRIPTS,
        workflow: TWO_STEPS_WORKFLOW,
      });
    }, INSTALL_LIMIT_MS);
    afterAll(() => stage?.close());

    test("engine-killed: its agent's processes are ended at the latest when the thread continues, in the same session", {
      timeout: STOP_LIMIT_MS,
    }, async () => {
      const { threadId, runnerPid } = await inTool(stage);
      process.kill(runnerPid, "SIGKILL");
      // The system may take a moment to end it.
      await ended(stage, threadId);
      await stage.json(["thread", "resume", threadId]);
      await goesOn(stage, threadId);
    });

    test("engine-killed-for-good: a thread without a runner is killed with everything it left running", {
      timeout: STOP_LIMIT_MS,
    }, async () => {
      const { threadId, runnerPid } = await inTool(stage);
      process.kill(runnerPid, "SIGKILL");
      await stage.json(["thread", "kill", threadId]);
      expect(findTagged(threadId)).toEqual([]);
      expect(await viewOf(stage, threadId)).toMatchObject({ result: { returnCode: 130 } });
    });

    test("agent-killed-in-thread: the thread fails, says why, and a fork of it continues", {
      timeout: STOP_LIMIT_MS,
    }, async () => {
      const { threadId, runnerPid } = await inTool(stage);
      for (const { pid, parent } of runMembers({ tag: threadId })) {
        if (parent === runnerPid) process.kill(pid, "SIGKILL");
      }
      const { status, result } = await ended(stage, threadId);
      expect(status).toBe("failed");
      expect(result?.summary).toContain("AGENT_FAILED");
      expect(findTagged(threadId)).toEqual([]);
      const fork = ["thread", "fork", threadId, "--from-step", "1"];
      await goesOn(stage, (await stage.json<{ threadId: string }>(fork)).threadId);
    });

    test("thread-killed: when the command returns, none of the thread's processes is left", {
      timeout: STOP_LIMIT_MS,
    }, async () => {
      const { threadId } = await inTool(stage);
      await stage.json(["thread", "kill", threadId]);
      expect(findTagged(threadId)).toEqual([]);
      const view = await viewOf(stage, threadId);
      expect(view).toMatchObject({ status: "aborted", result: { returnCode: 130 } });
      expect(view.steps.map(({ role }) => role)).toEqual(["worker"]);
    });
  });
}

type Started = { threadId: string; runnerPid: number };

/** Starts a thread and waits until its tool runs. */
async function inTool(stage: Stage): Promise<Started> {
  const cwd = join(stage.work, String(performance.now()));
  await mkdir(cwd);
  const { threadId } = await stage.json<{ threadId: string }>([
    ...["thread", "run", "flow", "--prompt", "Two steps.", "--cwd", cwd],
  ]);
  while (!existsSync(join(cwd, "began"))) {
    const { status, result } = await viewOf(stage, threadId);
    if (status !== "running") throw new Error(`${status} before its tool ran: ${result?.summary}`);
    await sleep(POLL_MS);
  }
  const { threads } = await stage.json<{ threads: { threadId: string; pid: number }[] }>([
    ...["thread", "ps"],
  ]);
  const runner = threads.find((each) => each.threadId === threadId);
  if (runner === undefined) throw new Error(`thread ${threadId} has no runner`);
  return { threadId, runnerPid: runner.pid };
}

/** It finishes in its session, or says why not. */
async function goesOn(stage: Stage, threadId: string): Promise<void> {
  const view = await ended(stage, threadId);
  expect(view.status, view.result?.summary).toBe("completed");
  const [first, second] = view.steps.slice(-2).map(({ run }) => run);
  const said = first?.session === second?.session || (second?.notes ?? []).length > 0;
  expect(said).toBe(true);
  expect(findTagged(threadId)).toEqual([]);
  expect(await stage.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
}

async function ended(stage: Stage, threadId: string): Promise<ThreadView> {
  for (;;) {
    const view = await viewOf(stage, threadId);
    if (view.status !== "running") return view;
    await sleep(POLL_MS);
  }
}

const viewOf = (stage: Stage, threadId: string): Promise<ThreadView> =>
  stage.json<ThreadView>(["thread", "show", threadId]);
