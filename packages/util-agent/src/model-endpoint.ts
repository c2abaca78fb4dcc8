/** What adapters share that ask a model themselves, with no program between. */
import { type AgentProbe, timerMs } from "@uncaged/workflow-protocol";
import type { AgentStep } from "./agent-driver.ts";
import type { Environment } from "./cli-environment.ts";

/** Where a model is. */
export type ModelAccess = {
  /** `https://host/v1`; `/chat/completions` is added. */
  baseUrl: string;
  model: string;
  /** Variable that holds the key. A bundle has no other way to name one: its bytes are kept and shown. */
  envKey?: string | undefined;
  /** The key itself, where the configuration has it at hand; null: the endpoint wants none. */
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

/** The model for one step. A silence that lasts as long as the step may be silent is not tried again. */
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

/** There is no program to look for, only a key. The model stands in the version: it is what answers. */
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

/** What of it no record may hold. */
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
