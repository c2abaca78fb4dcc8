import type { AdapterFn, AgentPackage } from "@uncaged/workflow-protocol";
import { createAgent, readAgentOptions } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import type { CodexConfig } from "./codex-config.ts";
import { codexDriver } from "./codex-driver.ts";
import { probeCodex } from "./probe-codex.ts";

/** Runs a role with Codex. Nothing is looked for or started before the role runs. */
export function createCodexAgent(config: CodexConfig = {}): AdapterFn {
  return createAgent(codexDriver(config), config);
}

/** For `config.agents` in `workflow.yaml`. */
export const agent: AgentPackage = {
  name: "codex",
  create: (options) => createCodexAgent(readAgentOptions("codex", OWN, options)),
  probe: async (options, host) => {
    const config = readAgentOptions("codex", OWN, options);
    return probeCodex(config, { ...host.env, ...config.env });
  },
};

const OWN = z.strictObject({
  command: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  reasoningEffort: z.string().min(1).optional(),
  provider: z.strictObject({ baseUrl: z.url(), envKey: z.string().min(1).optional() }).optional(),
  sandbox: z.enum(["workspace", "none"]).optional(),
  network: z.boolean().optional(),
  writable: z.array(z.string().startsWith("/")).optional(),
});
