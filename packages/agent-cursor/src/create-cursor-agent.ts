import type { AdapterFn, AgentPackage } from "@uncaged/workflow-protocol";
import { createAgent, readAgentOptions } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import type { CursorConfig } from "./cursor-config.ts";
import { cursorDriver } from "./cursor-driver.ts";
import { probeCursor } from "./probe-cursor.ts";

/** Runs a role with the Cursor agent CLI. Nothing is looked for or started before the role runs. */
export function createCursorAgent(config: CursorConfig = {}): AdapterFn {
  return createAgent(cursorDriver(config), config);
}

/** For `config.agents` in `workflow.yaml`. */
export const agent: AgentPackage = {
  name: "cursor",
  create: (options) => createCursorAgent(readAgentOptions("cursor", OWN, options)),
  probe: async (options, host) => {
    const config = readAgentOptions("cursor", OWN, options);
    return probeCursor(config, { ...host.env, ...config.env });
  },
};

const OWN = z.strictObject({
  command: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
});
