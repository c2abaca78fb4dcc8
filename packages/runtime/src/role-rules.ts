import type { Limits, RoleMeta, RoleRules, WorkflowDefinition } from "@uncaged/workflow-protocol";
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

/** The same with the limits that were set for one thread over those of the workflow. */
export function withLimits(
  rules: ReadonlyMap<string, RoleRules>,
  raised: { readonly [role: string]: Limits },
): ReadonlyMap<string, RoleRules> {
  const ofRole = new Map(Object.entries(raised));
  return new Map(
    Array.from(rules, ([role, own]) => [
      role,
      ofRole.has(role) ? { ...own, limits: { ...own.limits, ...ofRole.get(role) } } : own,
    ]),
  );
}
