import type {
  JsonObject,
  NoticeEvent,
  RegistryEntry,
  RootLimits,
  StoreKind,
  ThreadLabels,
} from "@uncaged/workflow-protocol";

export type ProviderSettings = {
  baseUrl: string;
  /** A key, or `$NAME` for an environment variable, as written: resolved only where the provider is called. */
  apiKey: string | null;
};

/** `provider/model`: the provider is the part before the first slash. */
export type ModelReference = { provider: string; model: string };

/** A named adapter: its npm package and the options it is created with. */
export type AgentSettings = { package: string; options: JsonObject };

/** Who is told of threads, and of which. */
export type ListenerSettings = {
  to:
    | { kind: "command"; words: readonly [string, ...string[]] }
    /** `secret`: as `apiKey` of a provider; null: what is sent is not signed. */
    | { kind: "webhook"; url: string; secret: string | null };
  events: readonly NoticeEvent[];
  /** null: all. */
  workflows: readonly string[] | null;
  /** A thread must have all of them. */
  labels: ThreadLabels;
};

export type TelemetrySettings = {
  /** Base URL of an OTLP/HTTP receiver; null: as the environment says. */
  endpoint: string | null;
  /** Prompts, answers and tool calls are told, too, without the secrets in them. */
  content: boolean;
};

export type Settings = {
  /** How deep child threads may nest; a thread started by a person has depth 0. */
  maxDepth: number;
  /** Steps between two checks by the supervisor; 0 turns it off. */
  supervisorInterval: number;
  providers: ReadonlyMap<string, ProviderSettings>;
  models: ReadonlyMap<string, ModelReference>;
  agents: ReadonlyMap<string, AgentSettings>;
  /** Workflow → role → name in `agents`: the agents on this machine, whatever the workflow binds. */
  bindings: ReadonlyMap<string, ReadonlyMap<string, string>>;
  defaultAgent: string | null;
  /** Days after which `thread prune` removes finished threads; null: it has to be told. */
  retentionDays: number | null;
  /** Listeners by name: whom the host tells. */
  notify: ReadonlyMap<string, ListenerSettings>;
  /** What threads may do at the same time, and use. */
  limits: RootLimits;
  /** Who is told what threads do, besides whom the environment names; null: nobody. */
  telemetry: TelemetrySettings | null;
  /** Where new blobs go: into separate files, or into rows of the index. */
  store: StoreKind;
  /** Worker tasks. */
  tasks: TaskDefaults;
  checks: CheckSettings;
  /** What agents' programs are kept to; `auto`, the default: a sandbox where one can be had. */
  isolation: "none" | "auto" | "sandbox";
  /** Record the files before and after each step that works in a git repository. */
  snapshots: boolean;
};

/** What the commands of checks see of this machine. */
export type CheckSettings = {
  /** `config.checks.path`: folders of programs, before those of Node and of the system. Absolute. */
  path: readonly string[];
  /** `config.checks.variables`: names of variables that they get from the engine's environment. */
  variables: readonly string[];
};

/** What tasks are made with, in every repository; null: the usual. */
export type TaskDefaults = {
  /** `config.integration`: the branch that they go into. */
  integration: string | null;
  /** `config.worktrees`: folder of their worktrees, absolute. */
  worktrees: string | null;
  /** `config.setup`: a shell command that makes a new worktree ready. */
  setup: string | null;
  /** `config.mergeCheck`: a shell command that a merged tree must pass. */
  mergeCheck: string | null;
  /** `config.mergeByHost`: the host merges what is approved. */
  mergeByHost: boolean;
  /** `config.reviewers`: roles, as `<workflow>/<role>`, whose agents may review tasks. */
  reviewers: readonly string[];
  /** `config.taskPool`: the pool of the threads that do tasks; null: the default pool. */
  taskPool: string | null;
};

/** What `workflow.yaml` says, typed. */
export type Registry = {
  workflows: ReadonlyMap<string, RegistryEntry>;
  settings: Settings;
};

/** The file and its meaning. Edits create a new one; only `updateRegistry` writes. */
export type RegistryFile = { readonly text: string; readonly registry: Registry };

/** Runs a short synchronous section while no other process runs one on the same storage root. */
export type Exclusively = <T>(section: () => T) => Promise<T>;
