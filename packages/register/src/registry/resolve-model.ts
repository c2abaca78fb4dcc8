/** What a model's name in the configuration stands for.
 *
 *  1. `$NAME` in a provider's `apiKey` is looked up here, when the model is used, and nowhere else.
 *  2. No message carries a key: a variable is spoken of by its name. */
import {
  err,
  type Failure,
  failure,
  type ModelSettings,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { modelReference } from "./model-reference.ts";
import type { ProviderSettings, Settings } from "./registry.ts";

export type ModelConfiguration = Pick<Settings, "providers" | "models">;
export type Environment = Readonly<Record<string, string | undefined>>;

/** `reference` is a key of `config.models`, or `provider/model`. Fails with `CONFIG_INVALID`, naming what is missing. */
export function resolveModel(
  settings: ModelConfiguration,
  reference: string,
  env: Environment,
): Result<ModelSettings, Failure> {
  const named = settings.models.get(reference) ?? modelReference(reference);
  if (named === null) return err(unknownModel(settings, reference));
  const provider = settings.providers.get(named.provider);
  if (provider === undefined) return err(unknownProvider(settings, reference, named.provider));
  const apiKey = keyOf(provider, env);
  if (!apiKey.ok) return err(missingVariable(named.provider, apiKey.error));
  return ok({ baseUrl: provider.baseUrl, model: named.model, apiKey: apiKey.value });
}

/** The key itself; the error is the name of a variable that is not set. */
function keyOf({ apiKey }: ProviderSettings, env: Environment): Result<string | null, string> {
  if (apiKey === null || !apiKey.startsWith("$")) return ok(apiKey);
  const name = apiKey.slice(1);
  const value = env[name];
  return value === undefined || value === "" ? err(name) : ok(value);
}

function unknownModel({ models }: ModelConfiguration, reference: string): Failure {
  const known = [...models.keys()].join(", ");
  return failure(
    "CONFIG_INVALID",
    `${JSON.stringify(reference)} is no model: neither a key of config.models nor <provider>/<model>`,
    known === ""
      ? "configure one with: uncaged-workflow setup"
      : `config.models has: ${known}; add one with: uncaged-workflow setup`,
  );
}

function unknownProvider(
  { providers }: ModelConfiguration,
  reference: string,
  provider: string,
): Failure {
  const known = [...providers.keys()].join(", ") || "none";
  return failure(
    "CONFIG_INVALID",
    `model ${JSON.stringify(reference)} needs provider ${JSON.stringify(provider)}, which config.providers does not have (it has: ${known})`,
    `configure it with: uncaged-workflow setup --provider ${provider}`,
  );
}

function missingVariable(provider: string, name: string): Failure {
  return failure(
    "CONFIG_INVALID",
    `the key of provider ${JSON.stringify(provider)} is the environment variable ${name}, which is not set`,
    `set ${name} where the command runs; a thread that runs already keeps the environment it was started in`,
  );
}
