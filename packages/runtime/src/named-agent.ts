import type { AdapterFn } from "@uncaged/workflow-protocol";

/** The agent that `config.agents` in `workflow.yaml` has under this name, or `config.defaultAgent`; looked up
 *  when the role plays, so a workflow can be shared without saying whose agents play it. */
export function namedAgent(name: string | null = null): AdapterFn {
  return (prompt, schema) => async (ctx, runtime) =>
    (await runtime.agent(name))(prompt, schema)(ctx, runtime);
}
