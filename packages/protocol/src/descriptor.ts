import type { Group } from "./group.ts";
import type { JsonObject } from "./json.ts";
import type { Limits, RuleOutcome } from "./limits.ts";
import type { RoleRules } from "./role.ts";
import type { WorkspaceMode } from "./workspace-mode.ts";

export type DescriptorRole = {
  description: string;
  systemPrompt: string;
  /** JSON Schema (draft 2020-12) of the role's meta. */
  schema: JsonObject;
} & RoleRules;

export type DescriptorEdge = {
  /** A role, a group or `START`. */
  from: string;
  /** A role, a group, `END` or `SUSPEND`. */
  to: string;
  /** Name of the condition, or `FALLBACK`. */
  condition: string;
  /** JSONata; null always matches. */
  when: string | null;
  prompt: string | null;
  location: string | null;
  /** Left out: only `ok`. */
  outcomes?: readonly RuleOutcome[];
  /** Set when the rule leads to a group; its `name` is `to`. */
  group?: Group;
};

/** A workflow without its code: what can be shown, checked and re-evaluated without running anything. Edges with the
 *  same `from` are listed in the order in which they are tried. */
export type WorkflowDescriptor = {
  description: string;
  roles: { readonly [role: string]: DescriptorRole };
  graph: { edges: readonly DescriptorEdge[] };
  limits?: Limits;
  /** JSONata: what the workflow returns when it has completed. */
  result?: string;
  /** Default: `shared`. */
  workspace?: WorkspaceMode;
};

/** The roles that agents play; people play the others. */
export function agentRoles({ roles }: Pick<WorkflowDescriptor, "roles">): string[] {
  return Object.keys(roles).filter((role) => roles[role]?.person === undefined);
}
