import type { AgentPackage, JsonObject } from "@uncaged/workflow-protocol";
import { readAgentOptions } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import type { AcpAgentConfig, AcpSettings } from "./acp-config.ts";
import { acpDriver } from "./acp-driver.ts";
import { createAcpAgent } from "./create-acp-agent.ts";
import { ACP_PRESET_NAMES } from "./presets.ts";

/** What `config.agents` in `workflow.yaml` names. */
export const agent: AgentPackage = {
  name: "acp",
  create: (options) => createAcpAgent(read(options)),
  probe: async (options, host) => {
    const config = read(options);
    return acpDriver(config).probe({ env: { ...host.env, ...config.env } });
  },
};

function read(options: JsonObject): AcpAgentConfig {
  return readAgentOptions("acp", SETTINGS, options);
}

const both = {
  args: z.array(z.string()).optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  authMethod: z.string().optional(),
};

const SETTINGS: z.ZodType<AcpSettings> = z.union([
  z.strictObject({
    ...both,
    preset: z.enum(ACP_PRESET_NAMES),
    command: z.string().optional(),
  }),
  z.strictObject({ ...both, command: z.string(), asksPermission: z.boolean().optional() }),
]);
