import { type Document, isMap, type YAMLMap } from "yaml";
import { childMap, editDocument } from "./edit-document.ts";
import type { Edited } from "./edit-registry.ts";
import type { AgentSettings, ProviderSettings, RegistryFile, Settings } from "./registry.ts";

/** Changes to the configuration. Names that are not mentioned stay as they are. */
export type SettingsChange = {
  providers?: { readonly [name: string]: ProviderSettings };
  /** Use → `provider/model`. */
  models?: { readonly [use: string]: string };
  agents?: { readonly [name: string]: AgentSettings };
  supervisorInterval?: number;
  defaultAgent?: string;
};

/** Sets what differs; whatever else a person wrote, such as comments and further keys, is not touched. */
export function changeSettings(file: RegistryFile, change: SettingsChange): Edited<object> {
  const { settings } = file.registry;
  const edits = [
    ...providerEdits(settings, change),
    ...modelEdits(settings, change),
    ...agentEdits(settings, change),
    ...scalarEdits(settings, change),
  ];
  if (edits.length === 0) return { file, value: {} };
  const edited = editDocument(file, (document) => {
    const config = childMap(document.get("config"), (made) => document.set("config", made));
    for (const edit of edits) edit(config, document);
  });
  return { file: edited, value: {} };
}

type Edit = (config: YAMLMap, document: Document) => void;

function providerEdits(
  { providers }: Settings,
  { providers: wanted = {} }: SettingsChange,
): Edit[] {
  return Object.entries(wanted).flatMap(([name, { baseUrl, apiKey }]) => {
    const known = providers.get(name);
    if (known?.baseUrl === baseUrl && known.apiKey === apiKey) return [];
    return (config: YAMLMap): void => {
      const provider = entryIn(config, "providers", name);
      provider.set("baseUrl", baseUrl);
      if (apiKey === null) provider.delete("apiKey");
      else provider.set("apiKey", apiKey);
    };
  });
}

function modelEdits({ models }: Settings, { models: wanted = {} }: SettingsChange): Edit[] {
  return Object.entries(wanted).flatMap(([use, reference]) => {
    const known = models.get(use);
    if (known !== undefined && `${known.provider}/${known.model}` === reference) return [];
    return (config: YAMLMap): void => {
      childMap(config.get("models"), (made) => config.set("models", made)).set(use, reference);
    };
  });
}

function agentEdits({ agents }: Settings, { agents: wanted = {} }: SettingsChange): Edit[] {
  return Object.entries(wanted).flatMap(([name, agent]) => {
    if (JSON.stringify(agents.get(name)) === JSON.stringify(agent)) return [];
    return (config: YAMLMap, document: Document): void => {
      const entry = entryIn(config, "agents", name);
      entry.set("package", agent.package);
      if (Object.keys(agent.options).length === 0) entry.delete("options");
      else entry.set("options", document.createNode(agent.options));
    };
  });
}

function scalarEdits(settings: Settings, change: SettingsChange): Edit[] {
  return (["supervisorInterval", "defaultAgent"] as const).flatMap((key) => {
    const wanted = change[key];
    if (wanted === undefined || settings[key] === wanted) return [];
    return (config: YAMLMap): void => config.set(key, wanted);
  });
}

/** The mapping `config.<part>.<name>`, created when it is missing. */
function entryIn(config: YAMLMap, part: string, name: string): YAMLMap {
  const all = childMap(config.get(part), (made) => config.set(part, made));
  const found: unknown = all.get(name);
  return childMap(isMap(found) ? found : undefined, (made) => all.set(name, made));
}
