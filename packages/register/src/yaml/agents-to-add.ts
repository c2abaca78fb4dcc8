import type { WorkflowData } from "@uncaged/workflow-protocol";
import { addAgentsCommand } from "../agents/add-agents.ts";
import { readSettings } from "../registry/read-registry.ts";

/** For people: the agents that a workflow names and that this storage root does not have yet. They are looked up
 *  when a role runs, so a workflow may be added first. */
export async function agentsToAdd(root: string, named: WorkflowData["agents"]): Promise<string[]> {
  const settings = await readSettings(root);
  // Whoever needs the settings reports what is wrong with them.
  if (!settings.ok) return [];
  const names = new Set([named.default ?? [], Object.values(named.roles)].flat());
  return [...names]
    .filter((name) => !settings.value.agents.has(name))
    .map(
      (name) =>
        `there is no agent ${JSON.stringify(name)} yet; add it before you run this, with this or another adapter: ${addAgentsCommand([name])}`,
    );
}
