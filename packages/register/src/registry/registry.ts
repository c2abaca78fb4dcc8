import type { StoreKind } from "@uncaged/workflow-cas";
import type { JsonObject } from "@uncaged/workflow-protocol";

/** One registered build of a workflow. */
export type BundleVersion = {
  hash: string;
  /** SHA-256 (hex) of the bundle file, checked before every run. */
  sha256: string;
  /** When it was added, Unix ms. */
  timestamp: number;
};

/** The version that runs, and those that ran before it, newest first. */
export type RegistryEntry = BundleVersion & { history: readonly BundleVersion[] };

export type ProviderSettings = {
  baseUrl: string;
  /** A key, or `$NAME` for a variable of the environment, as written: resolved only by who calls the provider. */
  apiKey: string | null;
};

/** `provider/model`: the provider is what stands before the first slash. */
export type ModelReference = { provider: string; model: string };

/** An adapter under a name: its npm package and the options it is made with. */
export type AgentSettings = { package: string; options: JsonObject };

export type Settings = {
  /** How deep child threads may nest; a thread that a person starts has depth 0. */
  maxDepth: number;
  /** Steps between two looks of the supervisor; 0 turns it off. */
  supervisorInterval: number;
  providers: ReadonlyMap<string, ProviderSettings>;
  models: ReadonlyMap<string, ModelReference>;
  agents: ReadonlyMap<string, AgentSettings>;
  /** Workflow → role → name in `agents`: who plays on this machine, whatever the workflow binds. */
  bindings: ReadonlyMap<string, ReadonlyMap<string, string>>;
  defaultAgent: string | null;
  /** Where new blobs go: into files of their own, or into rows of the index. */
  store: StoreKind;
};

/** What `workflow.yaml` says, typed. */
export type Registry = {
  workflows: ReadonlyMap<string, RegistryEntry>;
  settings: Settings;
};

/** The file and its meaning. Edits make a new one of it; only `updateRegistry` writes. */
export type RegistryFile = { readonly text: string; readonly registry: Registry };

/** Runs a short synchronous section while no other process runs one on the same storage root.
 *  Lent by the store; the registry needs no more of it. */
export type Exclusively = <T>(section: () => T) => Promise<T>;
