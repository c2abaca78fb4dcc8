import { expect, test } from "vitest";
import { acpPreset } from "./presets.ts";
import { toolArgs } from "./tool-args.ts";

const copilot = acpPreset("copilot");
const toolServer = { name: "uncaged", command: "/bin/node", args: ["-e", "1", "/tmp/s"] };
const nothing = { policy: null };

test("the engine's tools are named to an agent that ignores a session's, and its own agents are taken from it", () => {
  const [flag, config = "", ...others] = toolArgs(copilot, { ...nothing, toolServer });
  expect(flag).toBe("--additional-mcp-config");
  expect(JSON.parse(config)).toEqual({
    mcpServers: {
      uncaged: { type: "local", command: "/bin/node", args: ["-e", "1", "/tmp/s"], tools: ["*"] },
    },
  });
  expect(others).toEqual([expect.stringMatching(/^--excluded-tools=task,/)]);
});

test("a worker keeps its own agents only where its role names them", () => {
  expect(toolArgs(copilot, { ...nothing, isWorker: true })).toEqual(copilot.withoutAgents);
  const policy = { allow: [{ name: "task" }] };
  expect(toolArgs(copilot, { policy, isWorker: true })).toEqual([]);
  expect(toolArgs(copilot, { policy, toolServer })).toEqual(
    expect.arrayContaining([...copilot.withoutAgents]),
  );
});

test("others are told nothing, and neither is a role that has nothing to do with workers", () => {
  expect(toolArgs(copilot, nothing)).toEqual([]);
  expect(toolArgs(acpPreset("opencode"), { ...nothing, toolServer, isWorker: true })).toEqual([]);
});
