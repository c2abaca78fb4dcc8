import { modelReference } from "./model-reference.ts";
import type { Settings } from "./registry.ts";

type Providers = Pick<Settings, "agents" | "models" | "providers">;

/** An agent with the provider that it calls (null: the configuration does not say), and all agents that call it. */
export type ProviderCaller = {
  agent: string;
  provider: string | null;
  agents: readonly string[];
};

/** The provider is the one whose limits name the agent, else that of its model. */
export function providerCaller(
  agent: string,
  settings: Providers & Pick<Settings, "limits">,
): ProviderCaller {
  const limited = Object.entries(settings.limits.providers);
  const named = limited.find(([, { agents }]) => agents.includes(agent))?.[0];
  const provider = named ?? providerOf(agent, settings);
  if (provider === null) return { agent, provider, agents: [agent] };
  const listed = named === undefined ? [] : (settings.limits.providers[named]?.agents ?? []);
  return { agent, provider, agents: [...new Set([...listed, ...callersOf(provider, settings)])] };
}

/** The agents whose option `model` names a model of this provider. */
export function callersOf(provider: string, settings: Providers): string[] {
  return [...settings.agents.keys()].filter((agent) => providerOf(agent, settings) === provider);
}

function providerOf(agent: string, { agents, models, providers }: Providers): string | null {
  const model = agents.get(agent)?.options.model;
  if (typeof model !== "string") return null;
  const reference = models.get(model) ?? modelReference(model);
  const name = reference?.provider ?? null;
  return name !== null && providers.has(name) ? name : null;
}
