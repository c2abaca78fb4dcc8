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
import { HAND_IN_TOOL } from "./hand-in.ts";
import type { ReactConfig } from "./react-config.ts";
import { openReact } from "./react-conversation.ts";

/** A model with tools plays the role: it reads and writes files of the step's directory and runs commands. Nothing is
 *  sent before it does. */
export function createReactAdapter(config: ReactConfig): AdapterFn {
  return createAgent(reactDriver(config), config);
}

function reactDriver(config: ReactConfig): AgentDriver {
  return {
    name: "react",
    passEnv: config.envKey === undefined ? [] : [config.envKey],
    can: {
      ...{ evidence: true, policy: true, offline: "sandbox", ask: true },
      ...{ tools: "direct", resume: true },
    },
    secrets: modelSecrets(config),
    systemPromptApart: true,
    handInTool: HAND_IN_TOOL,
    keeps: ["*.jsonl"],
    runsCommands: config.shell ?? true,
    shellTools: ["shell_exec"],
    probe: async ({ env }) => probe(config, env),
    open: (step) => openReact(config, step),
  };
}

/** For `config.agents` in `workflow.yaml`. */
export const agent: AgentPackage = modelAgentPackage({
  name: "react",
  moduleUrl: import.meta.url,
  configOf,
  create: createReactAdapter,
  probe,
});

function probe(config: ReactConfig, env: Environment): AgentProbe {
  return probeModel(config, {
    env,
    version: versionOf(import.meta.url),
    features: ["json-schema", "evidence", "resume", "tool-policy"],
  });
}

function configOf(options: JsonObject, host: AgentHost): ReactConfig {
  const { model, ...others } = readAgentOptions("react", OWN, options);
  return { ...others, ...host.resolveModel(model) };
}

/** `model`: a key of `config.models`, or `provider/model`. */
const OWN = z.strictObject({
  model: z.string().min(1),
  shell: z.boolean().optional(),
  shellTimeoutMs: z.int().positive().optional(),
  maxRounds: z.int().positive().optional(),
});
