import { tmpdir } from "node:os";
import type { ToolServer } from "@uncaged/workflow-util-agent";
import type { CodexConfig } from "./codex-config.ts";
import type { CodexSandbox } from "./codex-sandbox.ts";

export type CodexRun = {
  /** Absolute. */
  cwd: string;
  sandbox: CodexSandbox;
  /** The engine's, to which no command may write: a temporary folder that contains it is not writable either. */
  storageRoot: string | null;
  /** JSON Schema for the last message; null: none can be passed. */
  schemaFile: string | null;
  /** Thread to resume; null: a new one. */
  thread: string | null;
  /** The engine's tools; left out: none. */
  toolServer?: ToolServer | undefined;
};

/** The command line of one turn; the prompt goes through stdin. It contains no secret. The options of `exec` come
 *  before `resume`, which would refuse them, and ours after the author's, because the last one counts. */
export function codexArguments(config: CodexConfig, run: CodexRun): string[] {
  const { sandbox, schemaFile, thread } = run;
  return [
    "exec",
    "--json",
    "--skip-git-repo-check",
    ...["--cd", run.cwd, "--sandbox", sandbox.mode],
    ...(config.model === undefined ? [] : ["--model", config.model]),
    ...(config.writable ?? []).flatMap((folder) => ["--add-dir", folder]),
    ...Object.entries({
      ...settings(config, sandbox),
      ...withoutTemporary(run.storageRoot),
      ...(run.toolServer === undefined ? {} : serverSettings(run.toolServer)),
    }).flatMap(([key, value]) => ["--config", `${key}=${JSON.stringify(value)}`]),
    ...(schemaFile === null ? [] : ["--output-schema", schemaFile]),
    ...(thread === null ? [] : ["resume", thread]),
    "-",
  ];
}

/** Variables with the agent's own keys; the commands that it runs do not see them. */
export function keyVariables({ provider }: Pick<CodexConfig, "provider">): string[] {
  return [OWN_KEY, ...(provider?.envKey === undefined ? [] : [provider.envKey])];
}

const OWN_KEY = "CODEX_API_KEY";

/** Values with the same syntax in JSON and TOML. */
type Setting = string | number | boolean | readonly string[];

function settings(config: CodexConfig, sandbox: CodexSandbox): Record<string, Setting> {
  return {
    approval_policy: "never",
    "sandbox_workspace_write.network_access": sandbox.network,
    "shell_environment_policy.exclude": keyVariables(config),
    // A login shell sets its own PATH, which may lack the engine's command and the project's tools.
    allow_login_shell: false,
    check_for_update_on_startup: false,
    ...(config.reasoningEffort === undefined
      ? {}
      : { model_reasoning_effort: config.reasoningEffort }),
    ...(config.provider === undefined ? {} : providerSettings(config.provider)),
    ...(sandbox.webSearch ? {} : { web_search: "disabled" }),
    ...(sandbox.shell ? {} : WITHOUT_SHELL),
    ...(sandbox.plainTools ? PLAIN_TOOLS : {}),
  };
}

/** Whoever lends a tool lets it be called; Codex would ask a person, and there is none. */
function serverSettings({ name, command, args }: ToolServer): Record<string, Setting> {
  const server = `mcp_servers.${name}`;
  return {
    [`${server}.command`]: command,
    [`${server}.args`]: args,
    [`${server}.default_tools_approval_mode`]: "approve",
    // The engine ends what takes too long: some tools wait for a thread.
    [`${server}.tool_timeout_sec`]: 86_400,
  };
}

function withoutTemporary(storageRoot: string | null): Record<string, Setting> {
  if (storageRoot === null) return {};
  return {
    ...(`${storageRoot}/`.startsWith("/tmp/")
      ? { "sandbox_workspace_write.exclude_slash_tmp": true }
      : {}),
    ...(`${storageRoot}/`.startsWith(`${tmpdir()}/`)
      ? { "sandbox_workspace_write.exclude_tmpdir_env_var": true }
      : {}),
  };
}

const PROVIDER = "model_providers.workflow";
/** Codex's own defaults are 4 and 5, with waits that double; the engine retries a step by its own rules. */
const MOST_RETRIES = 2;

function providerSettings({
  baseUrl,
  envKey,
}: NonNullable<CodexConfig["provider"]>): Record<string, Setting> {
  return {
    model_provider: "workflow",
    [`${PROVIDER}.name`]: "workflow",
    [`${PROVIDER}.base_url`]: baseUrl,
    [`${PROVIDER}.wire_api`]: "responses",
    [`${PROVIDER}.request_max_retries`]: MOST_RETRIES,
    [`${PROVIDER}.stream_max_retries`]: MOST_RETRIES,
    ...(envKey === undefined ? {} : { [`${PROVIDER}.env_key`]: envKey }),
  };
}

const WITHOUT_SHELL = {
  "features.shell_tool": false,
  "features.unified_exec": false,
  "features.view_image": false,
};

/** Tools that could work outside the sandbox, or whose calls would not be seen. */
const PLAIN_TOOLS = {
  "features.apps": false,
  "features.plugins": false,
  "features.multi_agent": false,
  "features.goals": false,
  "features.image_generation": false,
};
