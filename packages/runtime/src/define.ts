import type { RoleDefinition, RoleMeta, WorkflowDefinition } from "@uncaged/workflow-protocol";

/** Gives a role its type: the meta is inferred from the schema, and `extractRefs` is checked against
 *  it. For roles in files of their own; returns what it is given. */
export function defineRole<Meta extends Record<string, unknown>>(
  role: RoleDefinition<Meta>,
): RoleDefinition<Meta> {
  return role;
}

/** Gives a workflow its type: the role names in the table are checked against the roles. Returns what
 *  it is given; `createWorkflow` and `buildDescriptor` check what a compiler cannot see. */
export function defineWorkflow<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
): WorkflowDefinition<M> {
  return definition;
}
