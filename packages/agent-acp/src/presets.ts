/** The differences between agents that speak the same protocol, as data.
 *
 *  1. `mode` is one in which the agent asks before it acts. If there is none, `asks` is empty and a role with a tool
 *     policy is refused.
 *  2. What is listed here was seen by running the program, except for `cursor` and `hermes`, whose entries come from
 *     their documentation. */

import { TOOL_KINDS } from "@uncaged/workflow-protocol";
import type { AcpPreset } from "./preset.ts";

export const ACP_PRESET_NAMES = [
  "opencode",
  "gemini",
  "copilot",
  "qwen",
  "claude",
  "codex",
  "cursor",
  "hermes",
] as const;
export type AcpPresetName = (typeof ACP_PRESET_NAMES)[number];

/** Tools that change something, or reach out. */
export const ASKED = ["edit", "delete", "move", "execute", "fetch"] as const;

const COMMON = {
  args: ["--acp"],
  modelFlag: null,
  env: {},
  policyEnv: {},
  sessionMeta: {},
  policyMeta: {},
  homes: {},
  logins: [],
  sessions: [],
  freshShells: false,
  harmless: [],
  settings: {},
  toolServerFlag: null,
  withoutAgents: [],
  auth: [],
  mode: null,
  asks: ASKED,
  tokens: "turn",
  commandInTitle: false,
  saysErrors: false,
} as const;

/** Each tool by name: a user's rule for one tool takes precedence over one for all. */
const OPENCODE_ASKS = Object.fromEntries(
  [
    "*",
    "bash",
    "codesearch",
    "edit",
    "external_directory",
    "glob",
    "grep",
    "list",
    "lsp",
    "read",
    "skill",
    "task",
    "todoread",
    "todowrite",
    "webfetch",
    "websearch",
  ].map((tool) => [tool, "ask"]),
);

const PRESETS: Readonly<Record<AcpPresetName, AcpPreset>> = {
  opencode: {
    ...COMMON,
    command: "opencode",
    args: ["acp"],
    passEnv: [
      "ANTHROPIC_API_KEY",
      "GEMINI_API_KEY",
      "OPENAI_API_KEY",
      "OPENCODE_API_KEY",
      "OPENCODE_CONFIG",
      "OPENROUTER_API_KEY",
    ],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      // Outside a repository it takes the whole disk for its project, and writes to the storage root without asking.
      OPENCODE_PERMISSION: JSON.stringify({ edit: "ask" }),
    },
    policyEnv: {
      OPENCODE_PERMISSION: JSON.stringify(OPENCODE_ASKS),
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    },
    asks: TOOL_KINDS,
    homes: { XDG_CONFIG_HOME: "config", XDG_DATA_HOME: "data", XDG_STATE_HOME: "state" },
    logins: [{ from: ".local/share/opencode/auth.json", to: "data/opencode/auth.json" }],
    sessions: ["data/opencode/storage", "data/opencode/opencode*.db*"],
    freshShells: true,
    install: "npm install -g opencode-ai",
    login: "run `opencode auth login`, or set the key of your provider",
  },
  gemini: {
    ...COMMON,
    command: "gemini",
    modelFlag: "--model",
    passEnv: [
      "GEMINI_API_KEY",
      "GOOGLE_API_KEY",
      "GOOGLE_CLOUD_LOCATION",
      "GOOGLE_CLOUD_PROJECT",
      "GOOGLE_GEMINI_BASE_URL",
      "GOOGLE_GENAI_USE_VERTEXAI",
    ],
    homes: { GEMINI_CLI_HOME: "." },
    logins: [
      { from: ".gemini/oauth_creds.json", to: ".gemini/oauth_creds.json" },
      { from: ".gemini/google_accounts.json", to: ".gemini/google_accounts.json" },
    ],
    sessions: [".gemini/projects.json", ".gemini/tmp/*/.project_root", ".gemini/tmp/*/chats"],
    freshShells: true,
    auth: [
      { method: "gemini-api-key", variable: "GEMINI_API_KEY" },
      { method: "vertex-ai", variable: "GOOGLE_GENAI_USE_VERTEXAI" },
      { method: "oauth-personal", variable: null },
    ],
    mode: "default",
    commandInTitle: true,
    install: "npm install -g @google/gemini-cli",
    login: "set GEMINI_API_KEY, or start `gemini` once and log in",
  },
  copilot: {
    ...COMMON,
    command: "copilot",
    modelFlag: "--model",
    passEnv: [
      "COPILOT_GITHUB_TOKEN",
      "COPILOT_MODEL",
      "COPILOT_OFFLINE",
      "COPILOT_PROVIDER_API_KEY",
      "COPILOT_PROVIDER_BASE_URL",
      "COPILOT_PROVIDER_TYPE",
      "COPILOT_PROVIDER_WIRE_API",
      "GH_TOKEN",
      "GITHUB_TOKEN",
    ],
    homes: { COPILOT_HOME: "." },
    sessions: ["session-state"],
    freshShells: true,
    harmless: [
      "list_agents",
      "list_bash",
      "read_agent",
      "read_bash",
      "report_intent",
      "sql",
      "update_todo",
    ],
    toolServerFlag: "--additional-mcp-config",
    withoutAgents: ["--excluded-tools=task,write_agent,read_agent,list_agents"],
    tokens: "process",
    saysErrors: true,
    install: "npm install -g @github/copilot",
    login: "set COPILOT_GITHUB_TOKEN, or the COPILOT_PROVIDER_… variables of your own provider",
  },
  qwen: {
    ...COMMON,
    command: "qwen",
    modelFlag: "--model",
    passEnv: ["DASHSCOPE_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"],
    homes: { QWEN_HOME: "." },
    logins: [{ from: ".qwen/oauth_creds.json", to: "oauth_creds.json" }],
    sessions: ["projects/*/chats", "tmp/*/chats"],
    freshShells: true,
    // Otherwise a project's own settings decide what is run without asking.
    settings: { "settings.json": '{ "security": { "folderTrust": { "enabled": true } } }' },
    auth: [
      { method: "openai", variable: "OPENAI_API_KEY" },
      { method: "qwen-oauth", variable: null },
    ],
    mode: "default",
    install: "npm install -g @qwen-code/qwen-code",
    login: "set OPENAI_API_KEY and OPENAI_BASE_URL, or start `qwen` once and log in",
  },
  claude: {
    ...COMMON,
    command: "claude-agent-acp",
    args: [],
    passEnv: [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "ANTHROPIC_BASE_URL",
      "CLAUDE_CODE_OAUTH_TOKEN",
    ],
    // It would retry for many minutes.
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", CLAUDE_CODE_MAX_RETRIES: "3" },
    // A guess of the next prompt costs a model call; a project's settings may allow what a role may not.
    sessionMeta: { claudeCode: { options: { promptSuggestions: false } } },
    policyMeta: { claudeCode: { options: { promptSuggestions: false, settingSources: ["user"] } } },
    homes: { CLAUDE_CONFIG_DIR: "." },
    logins: [{ from: ".claude/.credentials.json", to: ".credentials.json" }],
    sessions: ["projects/*/*.jsonl"],
    mode: "default",
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    login: "set ANTHROPIC_API_KEY, or run `claude` once and log in",
  },
  codex: {
    ...COMMON,
    command: "codex-acp",
    args: [],
    passEnv: ["CODEX_API_KEY", "CODEX_CONFIG", "CODEX_PATH", "MODEL_PROVIDER", "OPENAI_API_KEY"],
    homes: { CODEX_HOME: "." },
    logins: [{ from: ".codex/auth.json", to: "auth.json" }],
    sessions: ["sessions/*/*/*/rollout-*.jsonl"],
    auth: [
      { method: "api-key", variable: "CODEX_API_KEY" },
      { method: "api-key", variable: "OPENAI_API_KEY" },
    ],
    // In its default mode its own model decides what may be done.
    mode: "workspace-write",
    // Commands inside its sandbox are run without asking, and not always reported.
    asks: [],
    install: "npm install -g @agentclientprotocol/codex-acp",
    login: "set OPENAI_API_KEY, or run `codex login`",
  },
  cursor: {
    ...COMMON,
    command: "cursor-agent",
    args: ["acp"],
    passEnv: ["CURSOR_API_KEY"],
    homes: { CURSOR_CONFIG_DIR: "." },
    sessions: ["acp-sessions", "chats"],
    auth: [{ method: "cursor_login", variable: "CURSOR_API_KEY" }],
    mode: "agent",
    install: "install it: https://cursor.com/docs/cli",
    login: "set CURSOR_API_KEY, or run `cursor-agent login`",
  },
  hermes: {
    ...COMMON,
    command: "hermes",
    args: ["acp"],
    passEnv: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"],
    homes: { HERMES_HOME: "." },
    logins: [
      { from: ".hermes/.env", to: ".env" },
      { from: ".hermes/auth.json", to: "auth.json" },
      { from: ".hermes/config.yaml", to: "config.yaml" },
    ],
    sessions: ["sessions", "state.db*"],
    // Which of its tools ask was not observed.
    asks: [],
    install: "install it as its documentation describes, with the extra `acp`",
    login: "run `hermes setup`",
  },
};

export function acpPreset(name: AcpPresetName): AcpPreset {
  return PRESETS[name];
}
