import type { JsonObject } from "./json.ts";
import type { AdapterFn } from "./workflow-runtime.ts";

/** Where a model is and how it is paid for: what `provider/model` in `workflow.yaml` resolves to. */
export type ModelSettings = {
  /** `https://host/v1`. */
  baseUrl: string;
  model: string;
  /** The key itself; null for endpoints that need none. */
  apiKey: string | null;
};

/** What an agent package may ask of the program that loads it. */
export type AgentHost = {
  env: Readonly<Record<string, string | undefined>>;
  /** A key of `config.models`, or `provider/model`. Throws `CONFIG_INVALID`, naming what is missing. */
  resolveModel(reference: string): ModelSettings;
};

/** What is known of an agent before it runs. */
export type AgentProbe = {
  /** Path of the program; null when it is not installed or when there is no program. */
  path: string | null;
  /** null: not installed, or it does not report one. */
  version: string | null;
  installed: boolean;
  login: "ok" | "missing" | "unknown";
  /** What this version supports: `acp`, `json-schema`, … */
  features: readonly string[];
  /** What to do when something is missing. */
  fix: string | null;
};

/** The `agent` export of an adapter package: what `config.agents` in `workflow.yaml` names, and what `agent list`,
 *  `poke --agent`, `race` and YAML workflows use. */
export type AgentPackage = {
  /** Short name, `claude-code`. */
  name: string;
  /** Makes the adapter. Throws `CONFIG_INVALID` for options it does not know. Starts nothing. */
  create(options: JsonObject, host: AgentHost): AdapterFn;
  /** Looks for the program, its version and its login. Never throws, never opens a session. */
  probe(options: JsonObject, host: AgentHost): Promise<AgentProbe>;
};
