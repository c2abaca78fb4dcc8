import { expect, it } from "vitest";
import { engineTool } from "./engine-tool.ts";

it.each([
  { command: "uncaged-workflow", args: ["mcp"] },
  { command: "/usr/local/bin/uwf", args: ["mcp"] },
  { command: "node", args: ["/opt/bin/uncaged-workflow.mjs", "mcp"] },
  { command: "npx", args: ["-y", "@uncaged/cli-workflow@1.2.0", "mcp"] },
])("recognizes the engine's own server: %j", (server) => {
  const tool = engineTool({
    other: { type: "http", url: "https://a.example" },
    "my engine": server,
  });
  expect(tool?.("thread_context")).toBe("mcp__my_engine__thread_context");
});

it.each([
  { command: "uncaged-workflow", args: ["thread", "list"] },
  { command: "github-mcp", args: ["mcp"] },
  { type: "http" as const, url: "https://uncaged-workflow/mcp" },
])("does not mistake another server for it: %j", (server) => {
  expect(engineTool({ other: server })).toBeNull();
  expect(engineTool(undefined)).toBeNull();
});
