import type {
  AdapterFn,
  AgentHost,
  AgentPackage,
  AgentProbe,
  JsonObject,
} from "@uncaged/workflow-protocol";
import {
  type AgentDriver,
  createAgent,
  type Environment,
  modelAgentPackage,
  modelSecrets,
  probeModel,
  readAgentOptions,
  versionOf,
} from "@uncaged/workflow-util-agent";
import { z } from "zod";
import type { LlmConfig } from "./llm-config.ts";
import { openLlm } from "./llm-conversation.ts";

/** Runs a role with just a model: it answers, and can do nothing else. Nothing is sent before the role runs. */
export function createLlmAdapter(config: LlmConfig): AdapterFn {
  return createAgent(llmDriver(config), config);
}

function llmDriver(config: LlmConfig): AgentDriver {
  return {
    name: "llm",
    passEnv: config.envKey === undefined ? [] : [config.envKey],
    // It has no tools: it keeps every policy, and cannot provide evidence.
    can: { evidence: false, policy: true, resume: false },
    secrets: modelSecrets(config),
    systemPromptApart: true,
    runsCommands: false,
    probe: async ({ env }) => probe(config, env),
    open: async (step) => openLlm(config, step),
  };
}

/** For `config.agents` in `workflow.yaml`. */
export const agent: AgentPackage = modelAgentPackage({
  name: "llm",
  moduleUrl: import.meta.url,
  configOf,
  create: createLlmAdapter,
  probe,
});

function probe(config: LlmConfig, env: Environment): AgentProbe {
  return probeModel(config, {
    env,
    version: versionOf(import.meta.url),
    features: ["tool-policy"],
  });
}

function configOf(options: JsonObject, host: AgentHost): LlmConfig {
  const { model, ...others } = readAgentOptions("llm", OWN, options);
  return { ...others, ...host.resolveModel(model) };
}

/** `model`: a key of `config.models`, or `provider/model`. */
const OWN = z.strictObject({ model: z.string().min(1) });
