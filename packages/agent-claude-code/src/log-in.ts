import { join } from "node:path";
import type { Environment } from "@uncaged/workflow-util-agent";

/** Where Claude Code stores its login, in its configuration folder (on macOS: in the keychain instead). */
export const CREDENTIALS_FILE = ".credentials.json";

/** Variables that replace a login. */
const KEYS = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

/** The part of our environment that Claude Code needs to reach its model. */
export const PASSED_ON: readonly string[] = [
  ...KEYS,
  "ANTHROPIC_BASE_URL",
  "ANTHROPIC_MODEL",
  "CLAUDE_CONFIG_DIR",
];

export function hasKey(env: Environment): boolean {
  return KEYS.some((name) => (env[name] ?? "") !== "");
}

/** The user's own configuration folder; null when there is no home. */
export function userFolder(env: Environment): string | null {
  const { CLAUDE_CONFIG_DIR: chosen = "", HOME: home = "" } = env;
  if (chosen !== "") return chosen;
  return home === "" ? null : join(home, ".claude");
}
