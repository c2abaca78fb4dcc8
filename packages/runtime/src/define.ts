import type { RoleDefinition, RoleMeta, WorkflowDefinition } from "@uncaged/workflow-protocol";

/** Types a role: its meta is inferred from the schema, and `extractRefs` is checked against that. For roles in files
 *  of their own; returns its argument. */
export function defineRole<Meta extends Record<string, unknown>>(
  role: RoleDefinition<Meta>,
): RoleDefinition<Meta> {
  return role;
}

/** Types a workflow: the role names in the table are checked against the roles. Returns its argument;
 *  `createWorkflow` and `buildDescriptor` check what a compiler cannot see. */
export function defineWorkflow<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
): WorkflowDefinition<M> {
  return definition;
}
