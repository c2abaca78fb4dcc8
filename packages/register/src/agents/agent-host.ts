import { type AgentHost, WorkflowError } from "@uncaged/workflow-protocol";
import {
  type Environment,
  type ModelConfiguration,
  resolveModel,
} from "../registry/resolve-model.ts";

/** What an agent package may ask of us: the environment, and what the configuration says of models. */
export function agentHost(settings: ModelConfiguration, env: Environment): AgentHost {
  return {
    env,
    resolveModel: (reference) => {
      const model = resolveModel(settings, reference, env);
      if (model.ok) return model.value;
      throw new WorkflowError(model.error);
    },
  };
}
