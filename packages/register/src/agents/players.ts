import type { WorkflowData } from "@uncaged/workflow-protocol";
import type { Settings } from "../registry/registry.ts";

export type Player = {
  /** Name in `config.agents`; null: whoever the bundle's code binds, or nobody when there is no default. */
  agent: string | null;
  /** Who says so: `config.bindings`, the workflow, or `config.defaultAgent`. */
  by: "bindings" | "workflow" | "default";
};

/** Who plays each role of a registered workflow on this machine. `named`: the agents that it names, as `agentsInBundle`
 *  returns them. */
export function playersOf(
  workflow: { name: string; roles: readonly string[]; named: WorkflowData["agents"] | null },
  { bindings, defaultAgent }: Pick<Settings, "bindings" | "defaultAgent">,
): ReadonlyMap<string, Player> {
  const { name, roles, named } = workflow;
  const here = bindings.get(name);
  const ofRoles = new Map(Object.entries(named?.roles ?? {}));
  return new Map(
    roles.map((role): [string, Player] => {
      const bound = here?.get(role);
      if (bound !== undefined) return [role, { agent: bound, by: "bindings" }];
      const agent = ofRoles.get(role) ?? named?.default ?? null;
      if (agent !== null || named === null) return [role, { agent, by: "workflow" }];
      return [role, { agent: defaultAgent, by: "default" }];
    }),
  );
}
