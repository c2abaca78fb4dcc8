import type { AdapterFn } from "@uncaged/workflow-protocol";
import { demandHeld } from "./demand-held.ts";

/** The agent that `config.agents` in `workflow.yaml` has under this name, or `config.defaultAgent`. Looked up only
 *  when the role runs, so that a workflow can be shared without saying whose agents run it. */
export function namedAgent(name: string | null = null): AdapterFn {
  const adapter: AdapterFn = (prompt, schema) => async (ctx, runtime) => {
    const named = await runtime.agent(name);
    demandHeld(named, runtime.step);
    return named(prompt, schema)(ctx, runtime);
  };
  return Object.assign(adapter, { holdsPolicy: true } as const);
}
