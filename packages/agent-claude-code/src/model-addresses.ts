import { err, ok, type Result } from "@uncaged/workflow-protocol";
import type { Environment } from "@uncaged/workflow-util-agent";
import { hasKey } from "./log-in.ts";

/** Where Claude Code finds its model, and without a key renews its login, as `host:port`. */
export function modelAddresses(env: Environment): Result<readonly string[], string> {
  const cloud = CLOUDS.find((name) => (env[name] ?? "") !== "");
  if (cloud !== undefined) return err(`with ${cloud}, the addresses of its model are not known`);
  const proxy = PROXIES.find((name) => (env[name] ?? "") !== "");
  if (proxy !== undefined) return err(`${proxy} is set, and it can have only one proxy`);
  const { ANTHROPIC_BASE_URL: base = "https://api.anthropic.com" } = env;
  if (!URL.canParse(base)) return err(`ANTHROPIC_BASE_URL is no address: ${JSON.stringify(base)}`);
  const { hostname, port, protocol } = new URL(base);
  const model = `${hostname}:${port || (protocol === "http:" ? 80 : 443)}`;
  return ok(hasKey(env) ? [model] : [model, ...LOGIN]);
}

const CLOUDS = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];
const PROXIES = [
  "HTTPS_PROXY",
  "https_proxy",
  "HTTP_PROXY",
  "http_proxy",
  "ALL_PROXY",
  "all_proxy",
];
const LOGIN = ["console.anthropic.com:443", "platform.claude.com:443"];
