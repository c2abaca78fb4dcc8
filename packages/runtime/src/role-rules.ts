import type { RoleMeta, RoleRules, WorkflowDefinition } from "@uncaged/workflow-protocol";
import { keysOf } from "./keys-of.ts";

/** What each role is held to; a role without rules has an empty entry. */
export function rulesOf<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
): ReadonlyMap<string, RoleRules> {
  return new Map(
    keysOf(definition.roles).map((role) => [role, rulesOfRole(definition.roles[role])]),
  );
}

/** Without keys that are not set: the rules also stand in the descriptor, which is JSON. */
export function rulesOfRole(role: RoleRules): RoleRules {
  const { tools, requiredEvidence, timeoutMs, retry, limits } = role;
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(requiredEvidence === undefined ? {} : { requiredEvidence }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retry === undefined ? {} : { retry }),
    ...(limits === undefined ? {} : { limits }),
  };
}
