import type { Limits, RoleMeta, RoleRules, WorkflowDefinition } from "@uncaged/workflow-protocol";
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

/** The same, with a thread's own limits in place of those of the workflow. */
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
