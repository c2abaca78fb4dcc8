import { readSettings, resolveModel, variablesOf } from "@uncaged/workflow-register";
import { type Check, type DoctorContext, fine, wrong } from "./check.ts";

const NAME = "models";

/** Checks that the configured models have a provider and a key. No model is called: `setup` does that. */
export async function checkModels({ root, env }: DoctorContext): Promise<Check> {
  const settings = await readSettings(root);
  // Another check reports an unreadable configuration.
  if (!settings.ok) return fine(NAME, "none are configured");
  const { models, supervisorInterval } = settings.value;
  for (const use of models.keys()) {
    const model = resolveModel(settings.value, use, variablesOf(root, env));
    if (!model.ok) return wrong(NAME, `${use}: ${model.error.message}`, model.error.hint);
  }
  if (supervisorInterval > 0 && !models.has("supervisor")) {
    return wrong(
      NAME,
      `supervisorInterval is ${supervisorInterval}, but config.models names no supervisor`,
      "name one with: uncaged-workflow setup --supervisor-model <model>",
    );
  }
  const named = [...models].map(([use, { provider, model }]) => `${use} ${provider}/${model}`);
  return fine(NAME, named.length === 0 ? "none are configured" : named.join(", "));
}
