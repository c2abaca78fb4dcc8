import type { ProgramName } from "./catalog.ts";

/** What makes a program talk to a model server on loopback, without an account. */
export type Connection = {
  /** Variables for the agent's process. */
  env: { readonly [name: string]: string };
  /** Model to request; null: according to the environment. */
  model: string | null;
  /** For programs that read their endpoint from a file: its content. */
  codex: CodexProvider | null;
};

/** A provider in the format of Codex's `config.toml`. */
export type CodexProvider = {
  baseUrl: string;
  /** The variable that holds the key. */
  envKey: string;
};

/** `url` is the server's, without a path. The keys are not secret. */
export function connectionOf(name: ProgramName, url: string): Connection {
  switch (name) {
    case "claude":
    case "claude-agent-acp":
      return byEnv({
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      });
    case "codex":
    case "codex-acp":
      return {
        env: { LAB_KEY: KEY },
        model: "gpt-5.4",
        codex: { baseUrl: `${url}/v1`, envKey: "LAB_KEY" },
      };
    case "opencode":
      return byEnv({ OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(url)) });
    case "gemini":
      return {
        ...byEnv({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url }),
        // By default it asks a model which model to use.
        model: "gemini-2.5-pro",
      };
    case "copilot":
      return byEnv({
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_API_KEY: KEY,
        COPILOT_MODEL: "gpt-4.1",
      });
    case "qwen":
      return byEnv({
        OPENAI_API_KEY: KEY,
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_MODEL: MODEL,
      });
  }
}

const KEY = "no-secret";
const MODEL = "lab-model";

const byEnv = (env: Connection["env"]): Connection => ({ env, model: null, codex: null });

const opencodeConfig = (url: string) => ({
  autoupdate: false,
  enabled_providers: ["lab"],
  model: `lab/${MODEL}`,
  provider: {
    lab: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: `${url}/v1`, apiKey: KEY },
      models: {
        [MODEL]: {
          name: MODEL,
          limit: { context: 200_000, output: 8_000 },
          cost: { input: 1, output: 2 },
        },
      },
    },
  },
});
