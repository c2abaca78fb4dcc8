import {
  type AdapterBinding,
  failure,
  type RoleMeta,
  type WorkflowDefinition,
  WorkflowError,
} from "@uncaged/workflow-protocol";

/** The compiler finds a wrong name in a binding written inline or declared with its metas, but not in one declared
 *  as a plain `AdapterBinding`. Throws `RULE_INVALID` naming each override that matches no role of an agent. */
export function checkBinding<M extends RoleMeta>(
  { roles }: Pick<WorkflowDefinition<M>, "roles">,
  { overrides }: Pick<AdapterBinding<M>, "overrides">,
): void {
  const faults = Object.keys(overrides ?? {}).flatMap((name) => {
    const place = `binding.overrides.${name}`;
    if (!Object.hasOwn(roles, name)) return [`${place}: there is no role of this name`];
    return roles[name]?.person === undefined ? [] : [`${place}: a person plays this role`];
  });
  if (faults.length === 0) return;
  throw new WorkflowError(
    failure("RULE_INVALID", faults.join("; "), `the roles are: ${Object.keys(roles).join(", ")}`),
  );
}
