import type { AgentProbe } from "@uncaged/workflow-protocol";
import { askProgram, type Environment, probeProgram } from "@uncaged/workflow-util-agent";
import { keyVariables } from "./codex-arguments.ts";
import type { CodexConfig } from "./codex-config.ts";

export const INSTALL_HINT = "install it with: npm install -g @openai/codex";

export async function probeCodex(config: CodexConfig, env: Environment): Promise<AgentProbe> {
  const found = await probeProgram([config.command ?? "codex"], env);
  if (found === null) {
    const nothing = { path: null, version: null, installed: false, features: [] };
    return { ...nothing, login: "unknown", fix: INSTALL_HINT };
  }
  const fix = await missingLogin(config, found.path, env);
  return {
    ...found,
    installed: true,
    login: fix === null ? "ok" : "missing",
    features: ["json-schema", "resume", "sandbox"],
    fix,
  };
}

/** What to do; null: nothing. A custom endpoint has its own key; `login status` only looks at files. */
async function missingLogin(
  config: CodexConfig,
  path: string,
  env: Environment,
): Promise<string | null> {
  const { provider } = config;
  if (provider !== undefined) {
    const { envKey } = provider;
    return envKey === undefined || isSet(env[envKey]) ? null : `set ${envKey}`;
  }
  if (keyVariables(config).some((name) => isSet(env[name]))) return null;
  const status = await askProgram(path, ["login", "status"], env);
  return status?.exitCode === 0 ? null : "log in with: codex login (or set CODEX_API_KEY)";
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
