/** Turns answers into a change of the configuration. Nothing is read, asked or written here. */
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import {
  modelReference,
  type ProviderSettings,
  type Settings,
  type SettingsChange,
} from "@uncaged/workflow-register";
import type { Answers } from "./answers.ts";
import { KNOWN_PROVIDERS } from "./known-providers.ts";

export function planChange(settings: Settings, answers: Answers): Result<SettingsChange, Failure> {
  const provider = plannedProvider(settings, answers);
  if (!provider.ok) return provider;
  const models = plannedModels(answers);
  if (!models.ok) return models;
  const { supervisorInterval, defaultAgent } = answers;
  if (defaultAgent !== null && !settings.agents.has(defaultAgent))
    return err(unknownAgent(settings, defaultAgent));
  return ok({
    ...(provider.value === null ? {} : { providers: provider.value }),
    ...(Object.keys(models.value).length === 0 ? {} : { models: models.value }),
    ...(supervisorInterval === null ? {} : { supervisorInterval }),
    ...(defaultAgent === null ? {} : { defaultAgent }),
  });
}

function plannedProvider(
  settings: Settings,
  { provider: name, baseUrl, apiKeyEnv, apiKey }: Answers,
): Result<{ [name: string]: ProviderSettings } | null, Failure> {
  if (name === null) {
    if (baseUrl === null && apiKeyEnv === null && apiKey === null) return ok(null);
    return err(misused("a URL or a key needs a provider", "name it with: --provider <name>"));
  }
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name))
    return err(
      misused(
        `${JSON.stringify(name)} is not a provider name`,
        "lower-case letters, digits, . _ and - only",
      ),
    );
  const known = settings.providers.get(name);
  const preset = KNOWN_PROVIDERS.get(name);
  const url = baseUrl ?? known?.baseUrl ?? preset?.baseUrl;
  if (url === undefined)
    return err(
      misused(
        `provider ${JSON.stringify(name)} is not known`,
        "give its address with: --base-url https://host/v1",
      ),
    );
  if (!isHttpUrl(url))
    return err(
      misused(`${JSON.stringify(url)} is not an http or https URL`, "for example: https://host/v1"),
    );
  if (apiKeyEnv !== null && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(apiKeyEnv))
    return err(
      misused(
        "--api-key-env is not the name of a variable",
        "give the name, not the key; pass the key itself with --api-key-stdin",
      ),
    );
  const presetKey = preset?.keyVariable == null ? null : `$${preset.keyVariable}`;
  const key = apiKey ?? (apiKeyEnv === null ? null : `$${apiKeyEnv}`);
  return ok({ [name]: { baseUrl: url, apiKey: key ?? known?.apiKey ?? presetKey } });
}

function plannedModels(answers: Answers): Result<{ [use: string]: string }, Failure> {
  const { provider, model, supervisorModel, summarizerModel } = answers;
  const models: { [use: string]: string } = {};
  const wanted = { extract: model, supervisor: supervisorModel, summarizer: summarizerModel };
  for (const [use, name] of Object.entries(wanted)) {
    if (name === null) continue;
    const reference = provider === null ? name : `${provider}/${name}`;
    if (modelReference(reference) === null)
      return err(
        misused(
          `${JSON.stringify(name)} is not a model`,
          "write <provider>/<model>, or add --provider <name>",
        ),
      );
    models[use] = reference;
  }
  return ok(models);
}

function isHttpUrl(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === "http:" || protocol === "https:";
}

function unknownAgent({ agents }: Settings, name: string): Failure {
  const known = [...agents.keys()].join(", ");
  return failure(
    "AGENT_NOT_FOUND",
    `config.agents has no agent ${JSON.stringify(name)}`,
    known === "" ? "add one with: uncaged-workflow agent add <npm package>" : `it has: ${known}`,
  );
}

function misused(message: string, hint: string): Failure {
  return failure("USAGE", message, hint);
}

/** The resulting configuration. */
export function changed(settings: Settings, change: SettingsChange): Settings {
  const models = Object.entries(change.models ?? {}).flatMap(([use, text]) => {
    const reference = modelReference(text);
    return reference === null ? [] : [[use, reference] as const];
  });
  return {
    ...settings,
    providers: new Map([...settings.providers, ...Object.entries(change.providers ?? {})]),
    models: new Map([...settings.models, ...models]),
  };
}
