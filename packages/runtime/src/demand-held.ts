import { type AdapterFn, agentError, type StepScope } from "@uncaged/workflow-protocol";

/** Refuses, before it runs, an adapter that does not declare that it enforces a role's `tools`. Required evidence
 *  can be checked by the engine afterwards; what an agent did cannot be undone. */
export function demandHeld(adapter: AdapterFn, { role, rules }: StepScope): void {
  if (rules?.tools === undefined || adapter.holdsPolicy === true) return;
  throw agentError("crashed", {
    message: `role ${role} has \`tools\`, and its adapter does not declare that it enforces them (\`holdsPolicy\`)`,
    hint: "bind the role to another agent, make its adapter with `createAgent`, or remove the rule from its definition",
    run: null,
  });
}
