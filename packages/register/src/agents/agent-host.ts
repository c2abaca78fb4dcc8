import { type AgentHost, WorkflowError } from "@uncaged/workflow-protocol";
import { type Environment, variablesOf } from "../registry/key-file.ts";
import { type ModelConfiguration, resolveModel } from "../registry/resolve-model.ts";

/** What an agent package may ask the engine for: the environment, and the configured models. */
export function agentHost(
  settings: ModelConfiguration,
  { root, env }: { root: string; env: Environment },
): AgentHost {
  return {
    env,
    resolveModel: (reference) => {
      const model = resolveModel(settings, reference, variablesOf(root, env));
      if (model.ok) return model.value;
      throw new WorkflowError(model.error);
    },
  };
}
