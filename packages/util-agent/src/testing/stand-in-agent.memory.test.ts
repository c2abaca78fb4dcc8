/** The whole flow with a process behind it: shell scripts that behave as real agents have been observed to. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentError, JsonObject } from "@uncaged/workflow-protocol";
import { findTagged } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../agent/create-agent.ts";
import type { AgentDriver, AgentOptions, TurnResult } from "../driver/agent-driver.ts";
import { EMPTY_TURN } from "../driver/empty-turn.ts";
import type { CliRun } from "../process/cli-run.ts";
import { jsonLines } from "../process/json-lines.ts";
import { lastLines } from "../process/last-lines.ts";
import { spawnCli } from "../process/spawn-cli.ts";
import { type FakeRuntime, fakeContext, fakeRuntime } from "./fake-runtime.ts";

const MIB = 1024 * 1024;
const schema = z.object({ n: z.number() });
let cwd: string;
let runtime: FakeRuntime;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "stand in "));
  runtime = fakeRuntime({ cwd });
});

afterEach(async () => {
  expect(findTagged(runtime.step.processTag)).toEqual([]);
  await rm(cwd, { recursive: true });
});

/** An agent that is a shell script: it prints `{"text":…}` for its final answer. */
function scriptDriver(script: string): AgentDriver {
  return {
    name: "script",
    passEnv: [],
    can: { evidence: false, policy: false, resume: false },
    probe: async () => ({
      path: "/bin/sh",
      version: "1",
      installed: true,
      login: "unknown",
      features: [],
      fix: null,
    }),
    open: async (step) => ({
      async turn(prompt) {
        let text = "";
        const { line } = jsonLines((said: JsonObject) => {
          if (typeof said.text === "string") text = said.text;
          if (said.ready === true) step.emit({ type: "text", text: "ready\n" });
        });
        const run = await spawnCli("sh", ["-c", script], {
          cwd: step.cwd,
          tag: step.processTag,
          env: step.env,
          stdin: prompt,
          signal: step.signal,
          timeoutMs: step.limits.timeoutMs ?? undefined,
          idleTimeoutMs: step.limits.idleTimeoutMs,
          graceMs: 200,
          onLine: line,
        });
        if (!run.ok) return result({ outcome: "crashed", reason: run.error.message });
        return result({ ...outcomeOf(run.value), text });
      },
      close: async () => {},
    }),
  };
}

function result(given: Partial<TurnResult>): TurnResult {
  return { ...EMPTY_TURN, ...given };
}

function outcomeOf({
  stoppedBy,
  exitCode,
  stderr,
}: CliRun): Pick<TurnResult, "outcome" | "reason"> {
  if (stoppedBy !== null) {
    return { outcome: stoppedBy === "abort" ? "cancelled" : "timeout", reason: stoppedBy };
  }
  return { outcome: exitCode === 0 ? "ok" : "crashed", reason: lastLines(stderr.text) };
}

function play(script: string, options: AgentOptions = {}, task = "Count.") {
  return createAgent(scriptDriver(script), options)("You count.", schema)(
    fakeContext(task),
    runtime,
  );
}

function failed(script: string, options: AgentOptions = {}): Promise<AgentError> {
  return play(script, options).then(
    () => Promise.reject(new Error("the role was played")),
    (thrown: AgentError) => thrown,
  );
}

/** The script's final answer. */
const ANSWER = `echo '{"text":"{\\"n\\":7}"}'`;

describe("an agent's program", () => {
  it("may print 100 MB before its answer", { timeout: 60_000 }, async () => {
    const before = process.memoryUsage().rss;
    const { meta } = await play(
      `head -c 100000000 /dev/zero | tr '\\0' 'x' | fold -w 999; echo; ${ANSWER}`,
    );
    expect(meta).toEqual({ n: 7 });
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB);
  });

  it("may answer with 100 MB, of which no more than one line's limit is read", {
    timeout: 60_000,
  }, async () => {
    const before = process.memoryUsage().rss;
    const error = await failed(
      `printf '{"text":"'; head -c 100000000 /dev/zero | tr '\\0' 'x'; echo '"}'`,
      { repairs: 0 },
    );
    expect(error.outcome).toBe("invalid_output");
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB);
  });

  it("may never read its prompt of 2 MB", async () => {
    expect((await play(ANSWER, {}, "x".repeat(2_000_000))).meta).toEqual({ n: 7 });
  });

  it("may print invalid bytes, escape codes and banners around its answer", async () => {
    const { meta } = await play(
      `printf '\\377\\376\\n\\033[1mWelcome!\\033[0m\\n\\033[32m'; ${ANSWER}; printf '\\033[0m{"text":'`,
    );
    expect(meta).toEqual({ n: 7 });
  });

  it("leaves no daemon behind, whatever session it moved to", async () => {
    const { meta } = await play(`setsid sleep 60 & setsid setsid sleep 60 & ${ANSWER}`);
    expect(meta).toEqual({ n: 7 });
  });

  it("that falls silent ends as a timeout, with its own words", async () => {
    const error = await failed("echo thinking; sleep 60", { idleTimeoutMs: 500 });
    expect(error).toMatchObject({ outcome: "timeout", failure: { code: "AGENT_TIMEOUT" } });
  });

  it("that talks for ever ends when the step's time is up", async () => {
    const error = await failed("while :; do echo x; sleep 0.05; done", { timeoutMs: 500 });
    expect(error).toMatchObject({ outcome: "timeout", run: { agent: { name: "script" } } });
  });

  it("that ignores signals and forks daemons is gone once the thread was stopped", async () => {
    const abort = new AbortController();
    runtime = fakeRuntime({ cwd, signal: abort.signal });
    const played = failed(
      `trap '' INT TERM; setsid sleep 60 & echo '{"ready":true}'; while :; do sleep 1; done`,
    );
    await expect
      .poll(() => runtime.events.some(({ type }) => type === "text"), { timeout: 5_000 })
      .toBe(true);
    expect(findTagged(runtime.step.processTag).length).toBeGreaterThan(1);
    abort.abort();
    expect((await played).failure.code).toBe("THREAD_ABORTED");
    expect(findTagged(runtime.step.processTag)).toEqual([]);
  });

  it("that crashes fails the step with its last words", async () => {
    const error = await failed("echo 'out of cheese' >&2; exit 9");
    expect(error.failure).toMatchObject({
      code: "AGENT_FAILED",
      message: "script failed: out of cheese",
    });
    expect(runtime.events.at(-1)).toMatchObject({ type: "end", outcome: "crashed" });
  });
});
