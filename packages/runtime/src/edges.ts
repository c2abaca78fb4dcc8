import {
  type DescriptorEdge,
  FALLBACK,
  type RoleMeta,
  START,
  type Transition,
  targetOf,
  type WorkflowDefinition,
} from "@uncaged/workflow-protocol";

/** The table as a list: the entry of `START` first, then those of the roles, then those of the groups, in their order;
 *  within an entry, in the order in which the transitions are tried. */
export function edgesOf<M extends RoleMeta>(definition: WorkflowDefinition<M>): DescriptorEdge[] {
  const table = new Map<string, readonly Transition[]>(Object.entries(definition.table));
  const roles = Object.keys(definition.roles);
  const groups = [...table.keys()].filter((key) => key !== START && !roles.includes(key));
  return [START, ...roles, ...groups].flatMap((from) =>
    (table.get(from) ?? []).map((transition) => edgeOf(from, transition)),
  );
}

function edgeOf(from: string, transition: Transition): DescriptorEdge {
  const { condition, prompt, location, outcomes, group } = transition;
  return {
    from,
    to: targetOf(transition),
    condition: condition === FALLBACK ? FALLBACK : condition.name,
    when: condition === FALLBACK ? null : condition.when,
    prompt: prompt ?? null,
    location: location ?? null,
    ...(outcomes === undefined ? {} : { outcomes }),
    ...(group === undefined ? {} : { group }),
  };
}
