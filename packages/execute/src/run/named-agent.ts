/** Finds the adapter of an agent that `config.agents` names.
 *
 *  1. Its package resolves from the storage root's own packages first, then from the engine's.
 *  2. It is loaded only when a role asks for it, and created once per run, so it keeps its state between its steps.
 *  3. A failure is not cached: the next role that asks tries again. */
import {
  type AdapterFn,
  type Failure,
  failure,
  failureFrom,
  unwrap,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import {
  addAgentsCommand,
  agentHost,
  loadAgentPackage,
  type ProviderCaller,
  providerCaller,
  readSettings,
  type Settings,
} from "@uncaged/workflow-register";
import type { Engine } from "../storage/engine.ts";

/** null: `config.defaultAgent`. Rejects with `AGENT_NOT_FOUND` or `CONFIG_INVALID`. */
export type AgentLookup = (name: string | null) => Promise<AdapterFn>;

export function namedAgents(
  engine: Pick<Engine, "root" | "packagesBase">,
  /** Wraps an agent before a role gets it. */
  equip: (caller: ProviderCaller, agent: AdapterFn) => AdapterFn = (_caller, agent) => agent,
  env: Readonly<Record<string, string | undefined>> = process.env,
): AgentLookup {
  const made = new Map<string, Promise<AdapterFn>>();
  return async (asked) => {
    const settings = unwrap(await readSettings(engine.root));
    const name = asked ?? settings.defaultAgent;
    if (name === null) throw new WorkflowError(noDefault(settings));
    const known = made.get(name);
    if (known !== undefined) return known;
    const making = makeAgent(name, { engine, settings, env }).then((agent) =>
      equip(providerCaller(name, settings), agent),
    );
    made.set(name, making);
    making.catch(() => made.delete(name));
    return making;
  };
}

async function makeAgent(
  name: string,
  from: {
    engine: Pick<Engine, "root" | "packagesBase">;
    settings: Settings;
    env: Readonly<Record<string, string | undefined>>;
  },
): Promise<AdapterFn> {
  const { engine, settings, env } = from;
  const configured = settings.agents.get(name);
  if (configured === undefined) throw new WorkflowError(unknownAgent(settings, name));
  const { root, packagesBase } = engine;
  const { agent } = unwrap(await loadAgentPackage(configured.package, { root, packagesBase }));
  try {
    return agent.create(configured.options, agentHost(settings, { root, env }));
  } catch (thrown) {
    const { code, message, hint } = failureFrom(thrown, "CONFIG_INVALID");
    throw new WorkflowError(failure(code, `agent ${JSON.stringify(name)}: ${message}`, hint), {
      cause: thrown,
    });
  }
}

/** Lists the configured agents. */
export function unknownAgent({ agents }: Settings, name: string): Failure {
  const known = [...agents.keys()].join(", ");
  return failure(
    "AGENT_NOT_FOUND",
    `config.agents in workflow.yaml has no agent ${JSON.stringify(name)}`,
    `${known === "" ? "" : `it has: ${known}; `}add it, with this or another adapter: ${addAgentsCommand([name])}`,
  );
}

function noDefault(settings: Settings): Failure {
  const first = [...settings.agents.keys()][0];
  return failure(
    "AGENT_NOT_FOUND",
    "a role needs the default agent, but workflow.yaml has no config.defaultAgent",
    first === undefined
      ? "add an agent with: uncaged-workflow agent add <npm package>"
      : `choose one with: uncaged-workflow setup --default-agent ${first}`,
  );
}
