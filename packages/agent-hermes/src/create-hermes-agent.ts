import type { AdapterFn, AgentPackage } from "@uncaged/workflow-protocol";
import { type AgentDriver, createAgent, readAgentOptions } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import type { HermesConfig } from "./hermes-config.ts";
import { openHermes } from "./hermes-conversation.ts";
import { KEPT_FILES } from "./prepare-home.ts";
import { probeHermes } from "./probe-hermes.ts";

/** Runs a role with Hermes. Nothing is looked for or started before the role runs. */
export function createHermesAgent(config: HermesConfig = {}): AdapterFn {
  return createAgent(hermesDriver(config), config);
}

export function hermesDriver(config: HermesConfig): AgentDriver {
  return {
    name: "hermes",
    passEnv: ["HERMES_HOME"],
    // Its quiet mode prints only the answer, and `--yolo` lets it do everything.
    can: { evidence: false, policy: false, resume: true },
    keeps: KEPT_FILES,
    probe: ({ env }) => probeHermes(config, env),
    open: (step) => openHermes(config, step),
  };
}

/** For `config.agents` in `workflow.yaml`. */
export const agent: AgentPackage = {
  name: "hermes",
  create: (options) => createHermesAgent(readAgentOptions("hermes", OWN, options)),
  probe: async (options, host) => {
    const config = readAgentOptions("hermes", OWN, options);
    return probeHermes(config, { ...host.env, ...config.env });
  },
};

const OWN = z.strictObject({
  command: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  maxTurns: z.int().positive().optional(),
});
