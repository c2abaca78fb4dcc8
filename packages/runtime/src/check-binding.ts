import {
  type AdapterBinding,
  failure,
  type RoleMeta,
  type WorkflowDefinition,
  WorkflowError,
} from "@uncaged/workflow-protocol";

/** The compiler sees a wrong name in a binding that is written in place or declared with its metas, not in one that is
 *  declared as a plain `AdapterBinding`. Throws `RULE_INVALID` naming each override that no role answers to. */
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
