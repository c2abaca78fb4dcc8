import {
  type DescriptorEdge,
  FALLBACK,
  type RoleMeta,
  START,
  type WorkflowDefinition,
} from "@uncaged/workflow-protocol";

/** The table as a list: the entry of `START` first, then those of the roles, in their order; within an entry, in the
 *  order in which the transitions are tried. */
export function edgesOf<M extends RoleMeta>(definition: WorkflowDefinition<M>): DescriptorEdge[] {
  const table = new Map(Object.entries(definition.table));
  return [START, ...Object.keys(definition.roles)].flatMap((from) =>
    (table.get(from) ?? []).map(({ condition, role, prompt, location, outcomes }) => ({
      from,
      to: role,
      condition: condition === FALLBACK ? FALLBACK : condition.name,
      when: condition === FALLBACK ? null : condition.when,
      prompt: prompt ?? null,
      location: location ?? null,
      ...(outcomes === undefined ? {} : { outcomes }),
    })),
  );
}
