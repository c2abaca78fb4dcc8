/** What goes wrong with a model, seen from a whole thread: each ends as it must, in time, and the runner's memory
 *  stays flat. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { findTagged } from "@uncaged/workflow-util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claudeCode } from "../src/agents/claude-code.ts";
import { installPrograms, LIMITS_WORKFLOW, openStage, type Stage } from "../src/index.ts";

const INSTALL_LIMIT_MS = 6 * 60_000;
/** For one step. */
const STEP_LIMIT_MS = 90_000;
const SILENCE_LIMIT_MS = 10_000;
/** Starting, stopping with grace periods, and a machine with other work to do. */
const AROUND_MS = 60_000;
const POLL_MS = 100;
const MIB = 1_048_576;
/** A runner of an ordinary thread uses 100 to 150 MiB. */
const MOST_BYTES = 300 * MIB;

const DONE = '[[json:{"status":"done"}]]';
const LONG = "The quick brown fox. ".repeat(100_000);

describe("claude-code", () => {
  let stage: Stage;
  beforeAll(async () => {
    const [program] = await installPrograms([claudeCode.program]);
    if (program === undefined) throw new Error("claude is not installed");
    stage = await openStage({
      binding: (url) => claudeCode.binding(program, url),
      workflow: LIMITS_WORKFLOW,
      options: () => ({ timeoutMs: STEP_LIMIT_MS, idleTimeoutMs: SILENCE_LIMIT_MS }),
    });
  }, INSTALL_LIMIT_MS);
  afterAll(() => stage?.close());

  test.each([
    ["long-prompt-in-thread: a prompt of 2 MB", `${LONG}\n${DONE}`, "completed"],
    ["flood-in-thread: 100 MB before an answer", "flood", "completed"],
    ["429-in-thread: a rate limit that passes", `[[429:1]] ${DONE}`, "completed"],
    ["429-for-ever: a rate limit that stays", "[[429]]", "AGENT_RATE_LIMITED"],
    ["cut-in-thread: a stream that breaks off for ever", "[[cut]]", "AGENT_FAILED"],
    ["stall-in-thread: a model that falls silent", "[[silence]]", "AGENT_TIMEOUT"],
    ["misfit-in-thread: an answer that never fits", '[[json:{"status":"no"}]]', "INVALID_OUTPUT"],
  ])("%s", { timeout: STEP_LIMIT_MS + AROUND_MS }, async (_name, prompt, expected) => {
    const { threadId } = await stage.json<{ threadId: string }>(
      ["thread", "run", "flow", "--prompt", "-"],
      prompt,
    );
    const peakBytes = await watchRunner(stage, threadId);
    const { status, result } = await stage.json<ThreadView>(["thread", "show", threadId]);
    const ended = status === "completed" ? status : (result?.summary ?? status);
    expect(ended).toContain(expected);
    expect(findTagged(threadId)).toEqual([]);
    expect(peakBytes).toBeGreaterThan(0);
    expect(peakBytes, `${Math.round(peakBytes / MIB)} MiB`).toBeLessThan(MOST_BYTES);
  });
});

/** Waits for the end of a thread; returns the peak memory of its runner. */
async function watchRunner(stage: Stage, threadId: string): Promise<number> {
  const { threads } = await stage.json<{ threads: { threadId: string; pid: number }[] }>([
    ...["thread", "ps"],
  ]);
  const pid = threads.find((each) => each.threadId === threadId)?.pid;
  if (pid === undefined) return 0;
  let peakBytes = 0;
  for (;;) {
    const now = peakOf(pid);
    if (now === null) return peakBytes;
    peakBytes = now;
    await sleep(POLL_MS);
  }
}

/** Null when the process is gone. */
function peakOf(pid: number): number | null {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}
