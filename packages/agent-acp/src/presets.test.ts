import { expect, test } from "vitest";
import { acpProgram } from "./acp-program.ts";
import { agent } from "./agent-package.ts";
import { ACP_PRESET_NAMES } from "./presets.ts";

const host = {
  env: {},
  resolveModel: () => {
    throw new Error("no model is asked for");
  },
};

test("the presets are these, started so", () => {
  const started = ACP_PRESET_NAMES.map((preset) => {
    const { name, command, args, mode, asks } = acpProgram({ preset });
    return [name, [command, ...args].join(" "), mode, asks.length > 0];
  });
  expect(started).toEqual([
    ["acp-opencode", "opencode acp", null, true],
    ["acp-gemini", "gemini --acp", "default", true],
    ["acp-copilot", "copilot --acp", null, true],
    ["acp-qwen", "qwen --acp", "default", true],
    ["acp-claude", "claude-agent-acp", "default", true],
    ["acp-codex", "codex-acp", "workspace-write", false],
    ["acp-cursor", "cursor-agent acp", "agent", true],
    ["acp-hermes", "hermes acp", null, false],
  ]);
});

test("a model is passed as an argument where the agent has one, otherwise by the protocol", () => {
  expect(acpProgram({ preset: "gemini", model: "g" })).toMatchObject({
    args: ["--acp", "--model", "g"],
    model: null,
  });
  expect(acpProgram({ preset: "opencode", model: "o" })).toMatchObject({
    args: ["acp"],
    model: "o",
  });
});

test("options of a named agent are checked", () => {
  const created = (options: Parameters<typeof agent.create>[0]) => () =>
    agent.create(options, host);
  expect(created({ preset: "gemini", idleTimeoutMs: 1_000 })).not.toThrow();
  expect(created({ command: "my-agent", asksPermission: true })).not.toThrow();
  expect(created({ preset: "eliza" })).toThrow(/options of the agent acp/);
  expect(created({ preset: "gemini", asksPermission: true })).toThrow(/options of the agent acp/);
  expect(created({})).toThrow(/options of the agent acp/);
});

test("a missing program is reported as not installed, with a hint", async () => {
  const probe = await agent.probe({ preset: "opencode", command: "/no/such/program" }, host);
  expect(probe).toMatchObject({ installed: false, fix: "npm install -g opencode-ai" });
});
