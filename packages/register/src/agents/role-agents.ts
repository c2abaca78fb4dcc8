import type { WorkflowData } from "@uncaged/workflow-protocol";
import type { Settings } from "../registry/registry.ts";

export type RoleAgent = {
  /** Name in `config.agents`; null: whatever the bundle's code binds, or none when there is no default. */
  agent: string | null;
  /** Where that comes from: `config.bindings`, the workflow, or `config.defaultAgent`. */
  by: "bindings" | "workflow" | "default";
};

/** The agent of each role of a registered workflow on this machine. `named`: the agents that the workflow names, as
 *  returned by `agentsInBundle`. */
export function roleAgents(
  workflow: { name: string; roles: readonly string[]; named: WorkflowData["agents"] | null },
  { bindings, defaultAgent }: Pick<Settings, "bindings" | "defaultAgent">,
): ReadonlyMap<string, RoleAgent> {
  const { name, roles, named } = workflow;
  const here = bindings.get(name);
  const ofRoles = new Map(Object.entries(named?.roles ?? {}));
  return new Map(
    roles.map((role): [string, RoleAgent] => {
      const bound = here?.get(role);
      if (bound !== undefined) return [role, { agent: bound, by: "bindings" }];
      const agent = ofRoles.get(role) ?? named?.default ?? null;
      if (agent !== null || named === null) return [role, { agent, by: "workflow" }];
      return [role, { agent: defaultAgent, by: "default" }];
    }),
  );
}
