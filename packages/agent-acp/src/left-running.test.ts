import type { ToolCallRecord } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import type { ToolCallNews } from "./session-update.ts";
import { toolCalls } from "./tool-calls.ts";

const BASH = { command: "npm test", shellId: "s1" };

function news(toolCallId: string, about: Partial<ToolCallNews>): ToolCallNews {
  return { toolCallId, rawInput: null, rawOutput: null, _meta: null, ...about };
}

const exited = (exitCode: number) => ({
  content: `done\n<shellId: s1 completed with exit code ${exitCode}>`,
  contents: [{ type: "shell_exit", shellId: "s1", exitCode, cwd: "/w" }],
});

/** What Copilot reports about a command that its tool did not wait for. */
function play(exitCode: number): ToolCallRecord[] {
  const seen: ToolCallRecord[] = [];
  const calls = toolCalls({
    step: {
      ...{ policy: null, storageRoot: null, home: "/home", cwd: "/step" },
      mayI: async () => ({ allowed: false, reason: "" }),
    },
    commandInTitle: false,
    shellsBeginIn: "/step",
    harmless: [],
    emit: () => {},
    seen: (call) => void seen.push(call),
    onBreach: () => {},
  });
  calls.news(news("1", { kind: "execute", status: "pending", rawInput: BASH }));
  calls.news(
    news("1", { status: "completed", rawOutput: { content: "<still running, shellId: s1>" } }),
  );
  calls.news(
    news("2", { kind: "read", status: "pending", rawInput: { shellId: "s1", delay: 60 } }),
  );
  calls.news(news("2", { status: "completed", rawOutput: exited(exitCode) }));
  return seen;
}

it("attributes the end of a command to the call that did not wait for it", () => {
  const [begun, read, joined, ...more] = play(0);
  expect(begun).toMatchObject({
    kind: "execute",
    subject: "npm test",
    exitCode: null,
    cwd: "/step",
  });
  expect(read).toMatchObject({ id: "2", kind: "read" });
  expect(joined).toMatchObject({ kind: "execute", subject: "npm test", exitCode: 0, ok: true });
  expect(more).toEqual([]);
});

it("recognizes a command that failed later", () => {
  expect(play(1)[2]).toMatchObject({ subject: "npm test", exitCode: 1, ok: false });
});
