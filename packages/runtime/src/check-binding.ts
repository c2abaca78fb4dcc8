import {
  type AdapterBinding,
  failure,
  type RoleMeta,
  type WorkflowDefinition,
  WorkflowError,
} from "@uncaged/workflow-protocol";

/** The compiler finds a wrong name in a binding written inline or declared with its metas, but not in one declared
 *  as a plain `AdapterBinding`. Throws `RULE_INVALID` naming each override that matches no role. */
export function checkBinding<M extends RoleMeta>(
  { roles }: Pick<WorkflowDefinition<M>, "roles">,
  { overrides }: Pick<AdapterBinding<M>, "overrides">,
): void {
  const strays = Object.keys(overrides ?? {}).filter((name) => !Object.hasOwn(roles, name));
  if (strays.length === 0) return;
  const faults = strays.map((name) => `binding.overrides.${name}: there is no role of this name`);
  throw new WorkflowError(
    failure("RULE_INVALID", faults.join("; "), `the roles are: ${Object.keys(roles).join(", ")}`),
  );
}
