import type { AdapterFn, AgentPackage, JsonObject } from "@uncaged/workflow-protocol";
import { type AgentOptions, createAgent, readAgentOptions } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import { type ScribeConfig, scribeDriver } from "./scribe-driver.ts";

/** Plays roles by scribe: `createWorkflow(definition, { adapter: createScribeAgent(), overrides: null })`. */
export function createScribeAgent(config: ScribeConfig & AgentOptions = {}): AdapterFn {
  return createAgent(scribeDriver(config), config);
}

/** What `uncaged-workflow agent add` and `config.agents` in `workflow.yaml` look for. */
export const agent: AgentPackage = {
  name: "scribe",
  create: (options) => createScribeAgent(parsed(options)),
  probe: async (options, host) => {
    const config = parsed(options);
    return scribeDriver(config).probe({ env: { ...host.env, ...config.env } });
  },
};

const OWN = z.strictObject({ command: z.string().min(1).optional() });

function parsed(options: JsonObject): ScribeConfig & AgentOptions {
  return readAgentOptions("scribe", OWN, options);
}
