/** Resolves a model's name in the configuration.
 *
 *  1. `$NAME` in a provider's `apiKey` is looked up here, when the model is used, and nowhere else: see
 *     `key-file.ts`.
 *  2. No message contains a key: a variable is only mentioned by name. */
import {
  err,
  type Failure,
  failure,
  type ModelSettings,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import type { Variables } from "./key-file.ts";
import { modelReference } from "./model-reference.ts";
import type { Settings } from "./registry.ts";
import { resolveKey } from "./resolve-key.ts";

export type ModelConfiguration = Pick<Settings, "providers" | "models">;

/** `reference` is a key of `config.models`, or `provider/model`. Fails with `CONFIG_INVALID`, naming what is missing. */
export function resolveModel(
  settings: ModelConfiguration,
  reference: string,
  variables: Variables,
): Result<ModelSettings, Failure> {
  const named = settings.models.get(reference) ?? modelReference(reference);
  if (named === null) return err(unknownModel(settings, reference));
  const provider = settings.providers.get(named.provider);
  if (provider === undefined) return err(unknownProvider(settings, reference, named.provider));
  const whose = `the key of provider ${JSON.stringify(named.provider)}`;
  const apiKey = resolveKey(provider.apiKey, whose, variables);
  if (!apiKey.ok) return apiKey;
  return ok({ baseUrl: provider.baseUrl, model: named.model, apiKey: apiKey.value });
}

function unknownModel({ models }: ModelConfiguration, reference: string): Failure {
  const known = [...models.keys()].join(", ");
  return failure(
    "CONFIG_INVALID",
    `${JSON.stringify(reference)} is not a model: neither a key of config.models nor <provider>/<model>`,
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
