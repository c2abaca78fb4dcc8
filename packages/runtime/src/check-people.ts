/** Checks roles that people play: what is for agents would be ignored. */
import {
  type RoleDefinition,
  type RoleMeta,
  SUSPEND,
  type WorkflowDefinition,
} from "@uncaged/workflow-protocol";
import { keysOf } from "./keys-of.ts";

/** Faults, each with its place: `roles.approver.tools: …`. */
export function* personFaults<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
): Generator<string> {
  const table = new Map(Object.entries(definition.table));
  for (const role of keysOf(definition.roles)) {
    const { person }: RoleDefinition<M[typeof role]> = definition.roles[role];
    if (person === undefined) continue;
    for (const rule of FOR_AGENTS) {
      if (definition.roles[role][rule] !== undefined)
        yield `roles.${role}.${rule}: is for agents, and a person plays the role`;
    }
    const { assignees = [] } = person;
    for (const [at, name] of assignees.entries()) {
      if (name.trim() === "") yield `roles.${role}.person.assignees[${at}]: is empty`;
    }
    for (const [at, transition] of (table.get(role) ?? []).entries()) {
      if (transition.role !== SUSPEND) continue;
      yield `table.${role}[${at}].role: a person's role cannot lead to SUSPEND; lead to the role itself to ask again`;
    }
  }
}

const FOR_AGENTS = ["tools", "requiredEvidence", "retry", "limits", "coordinates"] as const;
