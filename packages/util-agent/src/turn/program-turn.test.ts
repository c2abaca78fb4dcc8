import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failure } from "@uncaged/workflow-protocol";
import { redactor } from "@uncaged/workflow-util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { EMPTY_TURN } from "../driver/empty-turn.ts";
import { fakeStep } from "../testing/fake-step.ts";
import { programConversation, type TurnStart } from "./program-conversation.ts";
import { runTurn, type TurnProgram } from "./run-turn.ts";
import { turnHalt } from "./turn-halt.ts";
import { failedRun, timedOutTurn } from "./turn-verdict.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "program turn "));
});
afterEach(() => rm(folder, { recursive: true }));

const program = (script: string, more: Partial<TurnProgram> = {}): TurnProgram => ({
  ...{ command: process.execPath, args: ["-e", script], env: {}, prompt: "the prompt" },
  ...{ stdout: "text", onLine: () => {}, installHint: "install it", ...more },
});

it("continues from what the previous turn returned, and first from the step's own session", async () => {
  const starts: TurnStart[] = [];
  const step = { session: "given", previousRawUsage: { tokens: 1 } };
  const conversation = programConversation(step, async (prompt, start) => {
    starts.push(start);
    return { ...EMPTY_TURN, session: `after ${prompt}`, rawUsage: { tokens: starts.length * 10 } };
  });
  expect((await conversation.turn("one")).session).toBe("after one");
  await conversation.turn("two");
  expect(starts).toEqual([
    { session: "given", rawUsage: { tokens: 1 }, turns: 0 },
    { session: "after one", rawUsage: { tokens: 10 }, turns: 1 },
  ]);
});

it("takes the prompt by stdin, sees the step's environment alone, and runs in its directory", async () => {
  const says =
    "process.stdin.on('data', (d) => console.log(JSON.stringify([String(d), process.cwd(), process.env])))";
  const run = await runTurn(fakeStep(folder), program(says, { env: { ONE: "1" } }));
  const [prompt, cwd, env] = JSON.parse(run.ok ? run.value.stdout.text : "null");
  expect([prompt, cwd]).toEqual(["the prompt", folder]);
  expect(env).toMatchObject({ ONE: "1" });
  expect(env).not.toHaveProperty("HOME");
});

it("gets events unchanged, and text without secrets", async () => {
  const redact = redactor({ env: { MY_TOKEN: "s3cret-s3cret" } });
  const heard = async (stdout: TurnProgram["stdout"]): Promise<string[]> => {
    const lines: string[] = [];
    const onLine: TurnProgram["onLine"] = ({ text }) => void lines.push(text);
    const script = "console.log('key s3cret-s3cret')";
    await runTurn(fakeStep(folder, { redact }), program(script, { stdout, onLine }));
    return lines;
  };
  expect(await heard("events")).toEqual(["key s3cret-s3cret"]);
  expect((await heard("text")).join()).not.toContain("s3cret-s3cret");
});

it("ends when its reader halts it, for the first reason", async () => {
  const halt = turnHalt<"wrong session" | "too late">();
  const onLine = (): void => {
    halt.because("wrong session");
    halt.because("too late");
  };
  const script = "console.log('event'); setInterval(() => {}, 1_000)";
  const run = await runTurn(fakeStep(folder), program(script, { onLine, halt: halt.signal }));
  expect(run).toMatchObject({ ok: true, value: { stoppedBy: "abort" } });
  expect(halt.reason()).toBe("wrong session");
});

it("was cancelled when it could not begin because the step was stopped, and crashed otherwise", () => {
  const stopped = failedRun(failure("THREAD_ABORTED", "stopped before", ""));
  expect(stopped).toEqual({ outcome: "cancelled", reason: "stopped before", sessionLost: false });
  const absent = failedRun(failure("AGENT_NOT_FOUND", "it is not there", "install it"));
  expect(absent).toMatchObject({ outcome: "crashed", reason: "it is not there; install it" });
});

it("timed out only when it was ended for that", () => {
  expect(timedOutTurn({ stoppedBy: "idle" }, "last")?.reason).toBe("it fell silent; last");
  expect(timedOutTurn({ stoppedBy: "total" }, "last")?.reason).toBe("its time was over; last");
  expect(timedOutTurn({ stoppedBy: "abort" }, "last")).toBeNull();
  expect(timedOutTurn({ stoppedBy: null }, "last")).toBeNull();
});
