import type {
  PersonRules,
  RoleDefinition,
  RoleMeta,
  WorkflowDefinition,
} from "@uncaged/workflow-protocol";

/** Types a role: its meta is inferred from the schema, and `extractRefs` is checked against that. For roles in files
 *  of their own; returns its argument. */
export function defineRole<Meta extends Record<string, unknown>>(
  role: RoleDefinition<Meta>,
): RoleDefinition<Meta> {
  return role;
}

/** A role that a person plays: when the table leads there, the thread waits, and the person's answer becomes the step.
 *  The edge's prompt is the question, the schema is the form.
 *
 *  `timeoutMs`: milliseconds after which the role fails with outcome `timeout`; default: never. `assignees`: who is
 *  asked, names or groups; default: anybody. */
export function definePerson<Meta extends Record<string, unknown>>({
  description,
  schema,
  timeoutMs,
  assignees,
}: Pick<RoleDefinition<Meta>, "description" | "schema" | "timeoutMs"> &
  PersonRules): RoleDefinition<Meta> {
  return {
    ...{ description, systemPrompt: "", schema, extractRefs: null, timeoutMs },
    person: assignees === undefined ? {} : { assignees },
  };
}

/** Types a workflow: the names in the table are checked against the roles and the groups that rules lead to. Returns
 *  its argument;
 *  `createWorkflow` and `buildDescriptor` check what a compiler cannot see. */
export function defineWorkflow<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
): WorkflowDefinition<M> {
  return definition;
}
