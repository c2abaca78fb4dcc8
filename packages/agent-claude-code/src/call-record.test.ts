import type { JsonObject } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { callRecord, failedExitCode } from "./call-record.ts";
import { parseHookInput } from "./hook-input.ts";

function recordOf(input: JsonObject) {
  const parsed = parseHookInput({
    session_id: "s",
    cwd: "/w",
    tool_use_id: "toolu_1",
    ...input,
  });
  if (parsed?.hook_event_name !== "PostToolUse" && parsed?.hook_event_name !== "PostToolUseFailure")
    throw new Error("not the end of a call");
  return callRecord(parsed, 1_763_730_000_000);
}

const shell = (tool_response: JsonObject) =>
  recordOf({
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "npm test" },
    tool_response: { stdout: "out", stderr: "", interrupted: false, ...tool_response },
    duration_ms: 11,
  });

describe("the record of a command", () => {
  it("has exit code 0 when the program reports success", () => {
    expect(shell({ stderr: "warned" })).toEqual({
      id: "toolu_1",
      cwd: "/w",
      name: "Bash",
      kind: "execute",
      subject: "npm test",
      input: { command: "npm test" },
      output: "out\nwarned",
      ok: true,
      exitCode: 0,
      durationMs: 11,
      timestamp: 1_763_730_000_000,
    });
  });

  it("has the exit code of its failure", () => {
    const failed = recordOf({
      hook_event_name: "PostToolUseFailure",
      tool_name: "Bash",
      tool_input: { command: "npm test" },
      error: "Exit code 3\n1 failing",
      duration_ms: 28,
    });
    expect(failed).toMatchObject({ ok: false, exitCode: 3, output: "Exit code 3\n1 failing" });
  });

  it.each([
    ["went into the background", { backgroundTaskId: "b1" }, true],
    [
      "found nothing, which the program treats as an answer",
      { returnCodeInterpretation: "No matches found" },
      true,
    ],
    ["was interrupted", { interrupted: true }, false],
    ["has a response in another form", { stdout: 1 }, true],
  ])("has no exit code when it %s", (_why, response, ok) => {
    expect(shell(response)).toMatchObject({ ok, exitCode: null });
  });
});

describe("the record of another tool", () => {
  it("contains what the tool returned, as text", () => {
    const read = recordOf({
      hook_event_name: "PostToolUse",
      tool_name: "Read",
      tool_input: { file_path: "/a" },
      tool_response: { type: "text", file: { content: "hi" } },
    });
    expect(read).toMatchObject({ kind: "read", subject: "/a", ok: true, exitCode: null });
    expect(read.durationMs).toBeNull();
    expect(JSON.parse(read.output)).toEqual({ type: "text", file: { content: "hi" } });
  });
});

describe("the exit code of a failed command", () => {
  it.each([
    ["Exit code 3\na", 3],
    ["Error: Exit code 127", 127],
    ["The command said: Exit code 0", null],
    ["Exit code 1234", null],
    ["", null],
  ])("in %j is %j", (error, code) => expect(failedExitCode(error)).toBe(code));
});
