import { describe, expect, it } from "vitest";
import { type CodexRun, codexArguments, keyVariables } from "./codex-arguments.ts";
import type { CodexSandbox } from "./codex-sandbox.ts";

const open: CodexSandbox = {
  mode: "workspace-write",
  shell: true,
  commandKind: "execute",
  network: false,
  webSearch: true,
  plainTools: false,
};
const run: CodexRun = {
  cwd: "/work/it",
  sandbox: open,
  storageRoot: "/store",
  schemaFile: null,
  thread: null,
};

describe("codexArguments", () => {
  it("starts a session with the prompt on stdin", () => {
    expect(codexArguments({}, run)).toEqual([
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--cd",
      "/work/it",
      "--sandbox",
      "workspace-write",
      "--config",
      'approval_policy="never"',
      "--config",
      "sandbox_workspace_write.network_access=false",
      "--config",
      'shell_environment_policy.exclude=["CODEX_API_KEY"]',
      "--config",
      "allow_login_shell=false",
      "--config",
      "check_for_update_on_startup=false",
      "-",
    ]);
  });

  it("names every option before the session to resume", () => {
    const words = codexArguments(
      { model: "m" },
      { ...run, schemaFile: "/home/s.json", thread: "01a1-7" },
    );
    expect(words.slice(-5)).toEqual(["--output-schema", "/home/s.json", "resume", "01a1-7", "-"]);
    expect(words).toContain("m");
  });

  it("names the endpoint and its variable, hides that from commands, and bounds the retries", () => {
    const provider = { baseUrl: "http://127.0.0.1:4010/v1", envKey: "LAB_KEY" };
    const words = codexArguments({ provider, reasoningEffort: "low" }, run);
    expect(words).toEqual(
      expect.arrayContaining([
        'model_provider="workflow"',
        'model_providers.workflow.base_url="http://127.0.0.1:4010/v1"',
        'model_providers.workflow.env_key="LAB_KEY"',
        "model_providers.workflow.request_max_retries=2",
        "model_providers.workflow.stream_max_retries=2",
        'model_reasoning_effort="low"',
        'shell_environment_policy.exclude=["CODEX_API_KEY","LAB_KEY"]',
      ]),
    );
    expect(keyVariables({ provider })).toEqual(["CODEX_API_KEY", "LAB_KEY"]);
  });

  it("removes tools that the role may not use", () => {
    const sandbox = { ...open, shell: false, webSearch: false, plainTools: true };
    expect(codexArguments({}, { ...run, sandbox })).toEqual(
      expect.arrayContaining([
        "features.shell_tool=false",
        "features.unified_exec=false",
        "features.view_image=false",
        "features.plugins=false",
        'web_search="disabled"',
      ]),
    );
  });

  it("writes further writable directories and the network into the sandbox", () => {
    const sandbox = { ...open, network: true };
    const words = codexArguments({ writable: ["/cache"] }, { ...run, sandbox });
    expect(words.join(" ")).toContain("--add-dir /cache");
    expect(words).toContain("sandbox_workspace_write.network_access=true");
  });
});

it("names the server of the engine's tools, and asks nobody whether they may be called", () => {
  const toolServer = { name: "workflow", command: "/node", args: ["bridge.js", "/a b"] };
  const words = codexArguments({}, { ...run, toolServer });
  expect(words).toEqual(
    expect.arrayContaining([
      'mcp_servers.workflow.command="/node"',
      'mcp_servers.workflow.args=["bridge.js","/a b"]',
      'mcp_servers.workflow.default_tools_approval_mode="approve"',
      "mcp_servers.workflow.tool_timeout_sec=86400",
    ]),
  );
});

it("does not let a command write to a temporary folder that holds the engine's storage", () => {
  const excluded = "sandbox_workspace_write.exclude_slash_tmp=true";
  expect(codexArguments({}, run)).not.toContain(excluded);
  expect(codexArguments({}, { ...run, storageRoot: "/tmp/root" })).toContain(excluded);
});
