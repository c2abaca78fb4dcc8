import { type AgentProbe, timerMs } from "@uncaged/workflow-protocol";
import type { LlmProvider } from "@uncaged/workflow-reactor";
import type { AgentStep, Environment } from "@uncaged/workflow-util-agent";
import { packageVersion } from "./package-version.ts";
import type { ReactConfig } from "./react-config.ts";

/** The model for one step. A silence that lasts as long as the step may be silent is not tried again. */
export function modelEndpoint(
  config: ReactConfig,
  step: Pick<AgentStep, "env" | "limits">,
): LlmProvider {
  const { timeoutMs, idleTimeoutMs } = step.limits;
  return {
    baseUrl: config.baseUrl,
    model: config.model,
    apiKey: keyIn(config, step.env),
    totalTimeoutMs: timerMs(timeoutMs ?? Number.POSITIVE_INFINITY),
    idleTimeoutMs: timerMs(idleTimeoutMs),
    retryTimeouts: false,
  };
}

/** There is no program to look for, only a key. The model stands in the version: it is what answers. */
export function probeModel(config: ReactConfig, env: Environment): AgentProbe {
  const isMissing = config.envKey !== undefined && keyIn(config, env) === null;
  return {
    path: null,
    version: `${packageVersion()} ${config.model}`,
    installed: true,
    login: isMissing ? "missing" : keyIn(config, env) === null ? "unknown" : "ok",
    features: ["evidence", "resume", "tool-policy"],
    fix: isMissing ? `set ${config.envKey}` : null,
  };
}

function keyIn({ apiKey, envKey }: ReactConfig, env: Environment): string | null {
  const key = apiKey ?? (envKey === undefined ? undefined : env[envKey]);
  return key === undefined || key === "" ? null : key;
}
