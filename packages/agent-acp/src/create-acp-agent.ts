import type { AdapterFn } from "@uncaged/workflow-protocol";
import { createAgent } from "@uncaged/workflow-util-agent";
import type { AcpAgentConfig } from "./acp-config.ts";
import { acpDriver } from "./acp-driver.ts";

/** Runs a role with an agent that speaks the Agent Client Protocol. Nothing is looked for or started before the role
 *  runs. */
export function createAcpAgent(config: AcpAgentConfig): AdapterFn {
  return createAgent(acpDriver(config), config);
}
