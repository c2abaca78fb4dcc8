export type ProgramSource = {
  /** On npm. */
  package: string;
  /** Exact. */
  version: string;
  /** Name of its executable. */
  bin: string;
};

export const PROGRAM_NAMES = [
  "claude",
  "codex",
  "opencode",
  "gemini",
  "copilot",
  "qwen",
  "claude-agent-acp",
  "codex-acp",
] as const;
export type ProgramName = (typeof PROGRAM_NAMES)[number];

/** The agent programs on npm, each at the version with which the adapters are tested. */
export const PROGRAMS: { readonly [name in ProgramName]: ProgramSource } = {
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.329", bin: "claude" },
  codex: { package: "@openai/codex", version: "0.169.0", bin: "codex" },
  opencode: { package: "opencode-ai", version: "1.18.33", bin: "opencode" },
  gemini: { package: "@google/gemini-cli", version: "0.61.0", bin: "gemini" },
  copilot: { package: "@github/copilot", version: "1.0.102", bin: "copilot" },
  qwen: { package: "@qwen-code/qwen-code", version: "0.24.4", bin: "qwen" },
  "claude-agent-acp": {
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.100.0",
    bin: "claude-agent-acp",
  },
  "codex-acp": {
    package: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    bin: "codex-acp",
  },
};
