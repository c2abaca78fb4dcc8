import {
  type AdapterFn,
  type AgentHost,
  type AgentPackage,
  failureFrom,
  type JsonObject,
} from "@uncaged/workflow-protocol";
import { type AgentDriver, createAgent, readAgentOptions } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import { probeModel } from "./model-endpoint.ts";
import { packageVersion } from "./package-version.ts";
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
    can: { evidence: true, policy: true, resume: true },
    systemPromptApart: true,
    runsCommands: config.shell ?? true,
    probe: async ({ env }) => probeModel(config, env),
    open: (step) => openReact(config, step),
  };
}

/** For `config.agents` in `workflow.yaml`. */
export const agent: AgentPackage = {
  name: "react",
  create: (options, host) => createReactAdapter(configOf(options, host)),
  async probe(options, host) {
    try {
      return probeModel(configOf(options, host), host.env);
    } catch (thrown) {
      const { message, hint } = failureFrom(thrown, "CONFIG_INVALID");
      return {
        path: null,
        version: packageVersion(),
        installed: true,
        login: "missing",
        features: [],
        fix: hint === "" ? message : `${message}; ${hint}`,
      };
    }
  },
};

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
