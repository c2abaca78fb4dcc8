import { err, failure, type JsonObject, ok } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import type { ProcessEnd } from "./claude-process.ts";
import { judgeEnd, judgeResult } from "./judge-turn.ts";
import { parseStreamMessage } from "./stream-message.ts";

function verdict(result: JsonObject, modelError: string | null = null) {
  const message = parseStreamMessage({ type: "result", is_error: true, ...result });
  if (message?.type !== "result") throw new Error("no result");
  return judgeResult(message, { modelError });
}

describe("the end of a turn", () => {
  it("is good when the program reports no error", () => {
    const good = { is_error: false, subtype: "success", terminal_reason: "completed" };
    expect(verdict(good)).toEqual({ outcome: "ok", reason: "", sessionLost: false });
  });

  it("is not good because its subtype is `success`", () => {
    const lie = { subtype: "success", terminal_reason: "api_error", api_error_status: 500 };
    expect(verdict({ ...lie, result: "API Error: 500" })).toMatchObject({
      outcome: "crashed",
      reason: "API Error: 500",
    });
  });

  it("is not good when someone else's hook stopped it", () => {
    const stopped = { is_error: false, subtype: "success", terminal_reason: "hook_stopped" };
    expect(verdict(stopped).outcome).toBe("crashed");
  });

  it.each([
    [{ terminal_reason: "api_error", api_error_status: 429 }, null, "rate_limited"],
    [{ terminal_reason: "api_error", api_error_status: 529 }, null, "rate_limited"],
    [{ terminal_reason: "api_error", api_error_status: 401 }, null, "auth"],
    [{ terminal_reason: "api_error", api_error_status: 403 }, null, "auth"],
    [{ terminal_reason: "api_error", api_error_status: null }, "authentication_failed", "auth"],
    [{ terminal_reason: "api_error" }, "rate_limit", "rate_limited"],
    [{ terminal_reason: "prompt_too_long", api_error_status: 400 }, null, "context_overflow"],
    [{ terminal_reason: "api_error", api_error_status: 413 }, null, "context_overflow"],
    [{ terminal_reason: "aborted_tools", subtype: "error_during_execution" }, null, "cancelled"],
    [{ terminal_reason: "max_turns", subtype: "error_max_turns" }, null, "crashed"],
    [{}, null, "crashed"],
  ])("%j with the model's error %j is %s", (result, modelError, outcome) => {
    expect(verdict(result, modelError).outcome).toBe(outcome);
  });

  it("says that the session is lost when there is no such conversation", () => {
    const lost = {
      subtype: "error_during_execution",
      errors: ["No conversation found with session ID: x"],
    };
    expect(verdict(lost)).toEqual({
      outcome: "crashed",
      reason: "No conversation found with session ID: x",
      sessionLost: true,
    });
  });
});

describe("the end of the program in the middle of a turn", () => {
  const captured = (text: string) => ({ text, totalBytes: text.length, omittedBytes: 0 });
  const ended = (run: object): ProcessEnd => ({
    run: ok({
      exitCode: 1,
      signal: null,
      stoppedBy: null,
      stdout: captured(""),
      stderr: captured("oh dear\n"),
      startedAt: 0,
      completedAt: 1,
      leftovers: 0,
      ...run,
    }),
    noise: ["a banner"],
  });

  it("is reported with its last words", () => {
    expect(judgeEnd(ended({}), { stopped: false })).toEqual({
      outcome: "crashed",
      reason: "it exited with code 1 in the middle of its turn\na banner\noh dear",
      sessionLost: false,
    });
  });

  it.each([
    [{ stoppedBy: "idle" }, false, "timeout"],
    [{ stoppedBy: "total" }, false, "timeout"],
    [{ exitCode: null, signal: "SIGKILL" }, false, "crashed"],
    [{ stoppedBy: "stop" }, true, "cancelled"],
  ])("%j, the step stopped: %j, is %s", (run, stopped, outcome) => {
    expect(judgeEnd(ended(run), { stopped }).outcome).toBe(outcome);
  });

  it("is a crash when it could not be ended", () => {
    const stuck = { run: err(failure("AGENT_FAILED", "it hangs", "")), noise: [] };
    expect(judgeEnd(stuck, { stopped: false })).toMatchObject({
      outcome: "crashed",
      reason: "it hangs",
    });
  });
});
