import { readSettings, resolveModel, variablesOf } from "@uncaged/workflow-register";
import { type Check, fine, type Patient, wrong } from "./check.ts";

const NAME = "models";

/** The models that the configuration names have a provider and a key. Nobody is called: `setup` does that. */
export async function checkModels({ root, env }: Patient): Promise<Check> {
  const settings = await readSettings(root);
  // Another check says that the configuration cannot be read.
  if (!settings.ok) return fine(NAME, "none are configured");
  const { models, supervisorInterval } = settings.value;
  for (const use of models.keys()) {
    const model = resolveModel(settings.value, use, variablesOf(root, env));
    if (!model.ok) return wrong(NAME, `${use}: ${model.error.message}`, model.error.hint);
  }
  if (supervisorInterval > 0 && !models.has("supervisor")) {
    return wrong(
      NAME,
      `supervisorInterval is ${supervisorInterval}, and config.models names no supervisor`,
      "name one with: uncaged-workflow setup --supervisor-model <model>",
    );
  }
  const named = [...models].map(([use, { provider, model }]) => `${use} ${provider}/${model}`);
  return fine(NAME, named.length === 0 ? "none are configured" : named.join(", "));
}
