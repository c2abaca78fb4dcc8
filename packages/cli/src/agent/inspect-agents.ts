/** What is known about the agents of this storage root, without running any of them. */
import type { AgentHost, AgentPackage, AgentProbe, JsonObject } from "@uncaged/workflow-protocol";
import {
  agentHost,
  type LocatedPackage,
  loadAgentPackage,
  locateExternal,
  type Settings,
} from "@uncaged/workflow-register";

export type AgentReport = AgentProbe & {
  /** Name in `config.agents`; null: its package is installed but not configured. */
  name: string | null;
  package: string;
  /** null: the package is not installed. */
  packageVersion: string | null;
  /** Whether it is `config.defaultAgent`. */
  default: boolean;
  /** The roles bound to it by `config.bindings`, each as `<workflow>.<role>`. Left out when there are none. */
  plays?: string[];
};

export type Inspection = {
  root: string;
  settings: Settings;
  env: Readonly<Record<string, string | undefined>>;
};

/** The configured agents, in the order of the configuration. */
export function inspectConfigured(at: Inspection): Promise<AgentReport[]> {
  return Promise.all(
    [...at.settings.agents].map(([name, agent]) => inspect(at, { name, ...agent })),
  );
}

/** Our own adapters whose packages are present but not configured. */
export function inspectFurther(at: Inspection): Promise<AgentReport[]> {
  const configured = new Set([...at.settings.agents.values()].map((agent) => agent.package));
  const further = OWN_ADAPTERS.filter(
    (name) => !configured.has(name) && locateExternal(name, basesOf(at)) !== null,
  );
  return Promise.all(
    further.map((name) => inspect(at, { name: null, package: name, options: {} })),
  );
}

/** Included with the command line. */
export const OWN_ADAPTERS: readonly string[] = [
  "acp",
  "claude-code",
  "codex",
  "command",
  "cursor",
  "hermes",
  "llm",
  "react",
].map((each) => `@uncaged/workflow-agent-${each}`);

type Candidate = { name: string | null; package: string; options: JsonObject };

async function inspect(
  at: Inspection,
  { name, package: packageName, options }: Candidate,
): Promise<AgentReport> {
  const loaded = await loadAgentPackage(packageName, basesOf(at));
  const located: LocatedPackage | null = loaded.ok
    ? loaded.value.located
    : locateExternal(packageName, basesOf(at));
  const host = agentHost(at.settings, at);
  const probe = loaded.ok
    ? await probeOf(loaded.value.agent, { options, host })
    : absent(loaded.error.hint, loaded.error.message);
  return {
    name,
    package: packageName,
    packageVersion: located?.version ?? null,
    default: name !== null && name === at.settings.defaultAgent,
    ...boundTo(at.settings, name),
    ...probe,
  };
}

function boundTo({ bindings }: Settings, name: string | null): Pick<AgentReport, "plays"> {
  const plays = [...bindings].flatMap(([workflow, roles]) =>
    [...roles].flatMap(([role, agent]) => (agent === name ? [`${workflow}.${role}`] : [])),
  );
  return plays.length === 0 ? {} : { plays };
}

/** It asks programs that may hang; each of these questions times out after 15 seconds by itself. */
const PROBE_WITHIN_MS = 40_000;

/** A package's report about its agent. It is foreign code, which may break its promises. */
export async function probeOf(
  agent: AgentPackage,
  { options, host }: { options: JsonObject; host: AgentHost },
): Promise<AgentProbe> {
  const { promise: late, resolve } = Promise.withResolvers<AgentProbe>();
  const silent = absent(
    `see whether the program of ${agent.name} responds on the command line`,
    `the probe of ${agent.name} did not respond`,
  );
  const timer = setTimeout(resolve, PROBE_WITHIN_MS, silent);
  try {
    return await Promise.race([agent.probe(options, host), late]);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return absent("see its options: config.agents in workflow.yaml, or agent add --option", reason);
  } finally {
    clearTimeout(timer);
  }
}

function absent(fix: string, reason: string): AgentProbe {
  return {
    path: null,
    version: null,
    installed: false,
    login: "unknown",
    features: [],
    fix: `${reason}: ${fix}`,
  };
}

function basesOf({ root }: Inspection): { root: string; packagesBase: string } {
  return { root, packagesBase: import.meta.url };
}
