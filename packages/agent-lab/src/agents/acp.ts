/** One row for each preset of the Agent Client Protocol whose program is on npm. */
import {
  type AcpAgentConfig,
  type AcpPresetName,
  createAcpAgent,
} from "@uncaged/workflow-agent-acp";
import { endsAs } from "../behaviours/behaviour.ts";
import type { ProgramName } from "../programs/catalog.ts";
import { type CodexProvider, connectionOf } from "../programs/connection.ts";
import type { AgentUnderTest, Difference } from "./agent-under-test.ts";

const NO_COUNTERS = "it does not report what a turn used";
const ASKS_NOT =
  "it does not ask before it acts inside its sandbox, so no policy could be enforced";
/** Before anything starts: the adapter could not enforce the role's policy. */
const REFUSED = { outcome: "crashed", recorded: false };

export const acpGemini: AgentUnderTest = acpAgent("gemini", "gemini", {
  tool: {
    expects: { output: false, exitCode: null },
    because: "it reports neither a command's output nor its exit code",
  },
  "tool-fails": {
    expects: { exitCode: null, ok: true },
    because: "it reports no exit codes, and calls every command completed",
  },
  evidence: {
    expects: { outcome: "invalid_output", noted: 2 },
    because: "a command without a reported exit code is not evidence",
  },
  resume: {
    unsteady: ["same", "secondTokens", "notes"],
    because: "it loads no session that began in the same minute of the clock",
  },
  "429": { expects: endsAs("timeout"), because: "it retries for minutes without reporting it" },
  cut: { expects: endsAs("timeout"), because: "it retries for minutes without reporting it" },
});
export const acpOpencode: AgentUnderTest = acpAgent("opencode", "opencode", {
  overflow: {
    expects: endsAs("invalid_output"),
    because: "it summarizes its context and continues; the scripted model then has no script",
  },
  cut: { expects: endsAs("timeout"), because: "it retries forever without reporting it" },
  resume: {
    expects: { firstTokens: 1000 },
    because: "it counts only the last model call of a turn",
  },
});
export const acpCopilot: AgentUnderTest = acpAgent("copilot", "copilot", {
  "long-prompt": {
    expects: endsAs("context_overflow"),
    because: "it treats an unknown model as one with 64,000 tokens",
  },
});
export const acpQwen: AgentUnderTest = acpAgent("qwen", "qwen", {
  answer: { expects: { inputTokens: null }, because: NO_COUNTERS },
  "never-fits": { expects: { cost: false }, because: NO_COUNTERS },
  resume: { expects: { firstTokens: null, secondTokens: null }, because: NO_COUNTERS },
  "long-prompt": {
    expects: endsAs("context_overflow"),
    because: "it treats an unknown model as one with 200,000 tokens",
  },
  "429": { expects: endsAs("timeout"), because: "it retries for minutes without reporting it" },
  cut: { expects: endsAs("timeout"), because: "it retries for minutes without reporting it" },
});
export const acpClaude: AgentUnderTest = acpAgent("claude", "claude-agent-acp", {
  coordinates: {
    expects: { outcome: "crashed", spawned: [], heard: false },
    because: "its model has to search for tools of servers first, and the scripted one does not",
  },
});
export const acpCodex: AgentUnderTest = acpAgent("codex", "codex-acp", {
  "long-prompt": {
    expects: endsAs("context_overflow"),
    because: "the program accepts at most 1,048,576 characters",
  },
  "no-execute": { expects: REFUSED, because: ASKS_NOT },
  "no-edit": { expects: REFUSED, because: ASKS_NOT },
  "some-execute": { expects: { ...REFUSED, allowed: false }, because: ASKS_NOT },
  "ask-execute": { expects: { ...REFUSED, allowed: false }, because: ASKS_NOT },
  coordinates: {
    expects: { ...REFUSED, spawned: [], heard: false, knew: false },
    because: ASKS_NOT,
  },
});

function acpAgent(
  preset: AcpPresetName,
  program: ProgramName,
  differs: { readonly [behaviour: string]: Difference },
): AgentUnderTest {
  const settings = (command: string, url: string): AcpAgentConfig => {
    const { env, model, codex } = connectionOf(program, url);
    const more = codex === null ? {} : codexEnv(codex, model);
    return { preset, command, model: model ?? undefined, env: { ...env, ...more } };
  };
  return {
    name: `acp-${preset}`,
    program,
    differs,
    bind: ({ path }, url, options) => {
      const own = settings(path, url);
      return createAcpAgent({ ...options, ...own, env: { ...own.env, ...options.env } });
    },
    binding: ({ path }, url) => ({
      package: "@uncaged/workflow-agent-acp",
      options: settings(path, url),
    }),
  };
}

/** The ACP adapter for Codex takes its configuration from the environment as well. */
const codexEnv = (
  { baseUrl, envKey }: CodexProvider,
  model: string | null,
): Record<string, string> => ({
  MODEL_PROVIDER: "lab",
  CODEX_CONFIG: JSON.stringify({
    model,
    model_provider: "lab",
    model_providers: {
      lab: {
        name: "lab",
        base_url: baseUrl,
        env_key: envKey,
        wire_api: "responses",
        request_max_retries: 1,
        stream_max_retries: 1,
      },
    },
  }),
});
