import type { RoleMeta, RoleRules, WorkflowDefinition } from "@uncaged/workflow-protocol";
import { keysOf } from "./keys-of.ts";

/** The rules of each role; a role without rules has an empty entry. */
export function rulesOf<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
): ReadonlyMap<string, RoleRules> {
  return new Map(
    keysOf(definition.roles).map((role) => [role, rulesOfRole(definition.roles[role])]),
  );
}

/** Leaves out unset keys: the rules are also in the descriptor, which is JSON. */
export function rulesOfRole(role: RoleRules): RoleRules {
  const { person, tools, requiredEvidence, timeoutMs, retry, limits, coordinates } = role;
  return {
    ...(person === undefined ? {} : { person }),
    ...(tools === undefined ? {} : { tools }),
    ...(requiredEvidence === undefined ? {} : { requiredEvidence }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retry === undefined ? {} : { retry }),
    ...(limits === undefined ? {} : { limits }),
    ...(coordinates === undefined ? {} : { coordinates }),
  };
}
