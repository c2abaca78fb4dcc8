/** What adapters that call a model directly, with no program in between, have in common. */
import { type AgentProbe, timerMs } from "@uncaged/workflow-protocol";
import type { AgentStep } from "../driver/agent-driver.ts";
import type { Environment } from "../process/cli-environment.ts";

/** Where a model is. */
export type ModelAccess = {
  /** `https://host/v1`; `/chat/completions` is added. */
  baseUrl: string;
  model: string;
  /** Variable with the key. A bundle cannot contain the key itself, because its bytes are kept and shown. */
  envKey?: string | undefined;
  /** The key itself, when the configuration has it; null: the endpoint needs none. */
  apiKey?: string | null | undefined;
};

/** As `createLlmFn` takes it. */
export type ModelEndpoint = {
  baseUrl: string;
  model: string;
  apiKey: string | null;
  totalTimeoutMs: number;
  idleTimeoutMs: number;
  retryTimeouts: false;
};

/** The model for one step. A silence as long as the step's idle limit is not retried. */
export function modelEndpoint(
  access: ModelAccess,
  step: Pick<AgentStep, "env" | "limits">,
): ModelEndpoint {
  const { timeoutMs, idleTimeoutMs } = step.limits;
  return {
    baseUrl: access.baseUrl,
    model: access.model,
    apiKey: keyIn(access, step.env),
    totalTimeoutMs: timerMs(timeoutMs ?? Number.POSITIVE_INFINITY),
    idleTimeoutMs: timerMs(idleTimeoutMs),
    retryTimeouts: false,
  };
}

/** There is no program to look for, only a key. The model is reported as the version, since it is what answers. */
export function probeModel(
  access: ModelAccess,
  about: { env: Environment; version: string; features: string[] },
): AgentProbe {
  const { env, version, features } = about;
  const hasKey = keyIn(access, env) !== null;
  const isMissing = access.envKey !== undefined && !hasKey;
  return {
    path: null,
    version: `${version} ${access.model}`,
    installed: true,
    login: isMissing ? "missing" : hasKey ? "ok" : "unknown",
    features,
    fix: isMissing ? `set ${access.envKey}` : null,
  };
}

/** The parts of it that must not be in any record. */
export function modelSecrets(access: ModelAccess): (env: Environment) => readonly string[] {
  return (env) => {
    const key = keyIn(access, env);
    return key === null ? [] : [key];
  };
}

function keyIn({ apiKey, envKey }: ModelAccess, env: Environment): string | null {
  const key = apiKey ?? (envKey === undefined ? undefined : env[envKey]);
  return key === undefined || key === "" ? null : key;
}
