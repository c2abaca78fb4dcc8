/** The interface that an adapter package implements. `createAgent` wraps around it whatever is the same for all
 *  agents: prompts, sessions, structured output, repair turns, the evidence gate, limits, records. */
import type {
  AgentEvent,
  AgentHost,
  AgentOutcome,
  AgentProbe,
  EngineTool,
  JsonObject,
  JsonValue,
  Permission,
  Result,
  ToolCallRecord,
  ToolPolicy,
  Usage,
} from "@uncaged/workflow-protocol";
import type { Redactor } from "@uncaged/workflow-util";
import type { Environment } from "../process/cli-environment.ts";
import type { Isolation } from "../process/isolation.ts";
import type { ThreadReach } from "../prompt/thread-access.ts";

export type AgentDriver = {
  /** The name in run records: `claude-code`. */
  name: string;
  /** Variables of the engine's environment that the agent needs (its key, its endpoint). It gets no other secret. */
  passEnv: readonly string[];
  /** What the agent can do, so that nothing is promised in vain. */
  can: {
    /** It reports its tool calls, so evidence can be required of it. */
    evidence: boolean;
    /** It can enforce a tool policy, and fails closed. Otherwise a role with a policy is refused. */
    policy: boolean;
    /** How its commands are kept from the network (`ToolPolicy.network`). `sandbox`: none of its programs needs one, and all
     *  are started with `AgentStep.isolation`. `model`: those reach nothing but `modelAddresses`. `itself`. Left out: not at
     *  all, and a role that may run commands is refused. */
    offline?: "sandbox" | "model" | "itself";
    /** It waits while a person decides about a call (`AgentStep.mayI`). Default false. */
    ask?: boolean;
    /** It takes tools of the engine: `mcp`, from a server that it starts (`AgentStep.toolServer`); `direct`, as they
     *  are (`AgentStep.tools`). Default: it does not, and a role that coordinates is refused. */
    tools?: "mcp" | "direct";
    /** A session can be resumed by a later process. */
    resume: boolean;
    /** It can resume a copy of a session, leaving the original as it is (`AgentStep.copiesSession`). Default false. */
    copy?: boolean;
  };
  /** Secrets that no environment variable's name reveals: a key in the configuration. They are removed from
   *  everything that is stored or shown, like those of the environment. */
  secrets?: (env: Environment) => readonly string[];
  /** It passes `AgentStep.systemPrompt` to its model separately, so the turns' prompts do not repeat it. Default
   *  false. */
  systemPromptApart?: boolean;
  /** Name of the tool with which it submits a value of `AgentStep.outputSchema`: prompts ask for a call of that
   *  tool. null: they ask for JSON at the end of its text. Either way, text is read as an answer too. Default null. */
  handInTool?: string | null;
  /** It can run commands, so it is told those that load more of the thread, as far as the role's policy allows them.
   *  Default true. */
  runsCommands?: boolean;
  /** Names of the tool that runs them, as policies know it. Default: the usual ones. */
  shellTools?: readonly string[];
  /** Its name for a tool of `uncaged-workflow mcp`, when it was given that server: a role that may not run commands
   *  is told these tools. null: it does not have them. Default null. */
  mcpTool?: ThreadReach["mcpTool"];
  /** Its own sandbox lets no command connect to a socket: for a step that `isolation` keeps from the storage root, it takes
   *  the store's tools from the engine, if `can.tools` says how. Default false. */
  socketless?: boolean;
  /** Folders that whoever configured the agent lets its commands write to, absolute. With the storage root among them, `auto`
   *  gives it no sandbox. Default: none. */
  writable?: readonly string[] | undefined;
  /** What the agent needs from `AgentStep.home` to resume a session, as relative paths: `projects`, or with a star
   *  within one name, `state_*.sqlite`. Everything else there is removed before each step. Default: nothing. */
  keeps?: readonly string[];
  /** Where its program finds its model, as `host:port`, when its environment names an HTTP proxy; with `offline: "model"`. The
   *  error says in one sentence why that is not known. */
  modelAddresses?(env: Environment): Result<readonly string[], string>;
  /** Why it cannot enforce a particular policy, although it can enforce others; null: it can. Default: null. */
  refuses?(policy: ToolPolicy): string | null;
  /** Looks for the program, its version and its login. Never throws, never opens a session. */
  probe(host: Pick<AgentHost, "env">): Promise<AgentProbe>;
  /** Prepares the agent for one step: its folder, its configuration, its process if it has one for several turns.
   *  Rejects with an error made by `agentError`. */
  open(step: AgentStep): Promise<AgentConversation>;
};

/** One step as an agent sees it. */
export type AgentStep = {
  threadId: string;
  role: string;
  round: number;
  /** Absolute working directory. */
  cwd: string;
  /** Folder for the agent's private configuration and sessions: it exists, has mode 0700, and is the same for every
   *  step of this role in this thread. */
  home: string;
  /** The engine's storage root, of which only `home` is the agent's to write: see `callVerdict`. null: not known. */
  storageRoot: string | null;
  /** A folder that the agent may write to in the storage root besides `home`; left out: there is none. */
  scratch?: string | undefined;
  /** Its agent starts no others, unless a rule of the policy names the tool. */
  isWorker?: boolean | undefined;
  /** Tools of the engine, for a driver that takes them `direct`. Left out: none. */
  tools?: readonly EngineTool[] | undefined;
  /** The server of the engine's tools, for a driver that takes them by `mcp`. Left out: none. */
  toolServer?: ToolServer | undefined;
  /** What its programs are kept to: for `openCli` and `spawnCli`. Null or left out: nothing. */
  isolation?: Isolation | null | undefined;
  /** Passed to every process as its process tag. */
  processTag: string;
  /** The whole environment that the agent's process sees. */
  env: Readonly<Record<string, string>>;
  /** Session to resume; null: a new one. */
  session: string | null;
  /** That session belongs to another thread: resume a copy of it with its own id. */
  copiesSession: boolean;
  /** The agent's counters at the end of that session's last turn, as returned in `TurnResult.rawUsage`. */
  previousRawUsage: JsonValue | null;
  /** The role's own prompt. A session's first prompt holds it too, unless the driver is `systemPromptApart`. */
  systemPrompt: string;
  /** JSON Schema that the final answer must satisfy, for agents that accept one. */
  outputSchema: JsonObject;
  /** Why a value does not match the role's schema, in words for the agent; null: it matches. For agents that can be
   *  told before their turn ends. */
  misfit: (value: JsonValue) => Promise<string | null>;
  /** Adds a sentence to the step's record: something that anyone who judges the result should know. */
  note: (text: string) => void;
  policy: ToolPolicy | null;
  /** Puts a call to a person about which `callVerdict` says `asks`, and waits; never rejects. The agent's silence
   *  meanwhile is ours. `call` is what a person reads. */
  mayI: (call: { name: string; subject: string }) => Promise<Permission>;
  /** Waits before the agent calls its model again, and lends the thread's room to others meanwhile. Rejects when `signal`
   *  aborts. */
  standBack: (delayMs: number) => Promise<void>;
  /** The role has a policy or required evidence: settings and instructions in the working directory, which the agent
   *  itself can write, must not change what its tools do. */
  isHeld: boolean;
  /** Milliseconds. `timeoutMs` is what is left of the step's time at the moment it is read; null: no limit. */
  limits: { readonly timeoutMs: number | null; readonly idleTimeoutMs: number };
  /** Aborts when the thread is stopped or killed, and when the step's time is up. */
  signal: AbortSignal;
  /** Live output. Never blocks, never throws. `started` and `end` are emitted around the driver. */
  emit: (event: AgentEvent) => void;
  /** Evidence: a tool call that has ended. Never throws; called once per call. */
  seen: (call: ToolCallRecord) => void;
  /** Removes secrets from a text or, with `stream`, from what a program prints: for what a driver keeps or quotes
   *  itself. What it emits and returns is taken care of. */
  redact: Redactor;
  /** Thread, role, round, task and how to load the context: what no compaction may lose. */
  reminder: string;
  /** What required evidence is still missing, in words for the agent; null: nothing. For agents that can be stopped
   *  from finishing: the step's record says that it was told. */
  stillMissing: () => string | null;
};

/** A Model Context Protocol server that an agent starts and speaks to over stdin and stdout. */
export type ToolServer = { name: string; command: string; args: readonly string[] };

/** One or several turns in one session. */
export type AgentConversation = {
  /** Sends the prompt and waits for the end of the turn, a limit, or the abort. Never rejects: how the turn ended is
   *  a value. Afterwards nothing that the turn started is left running, except a process that serves the next turn. */
  turn(prompt: string): Promise<TurnResult>;
  /** Ends every process of the conversation. Never rejects; a second call does nothing. */
  close(): Promise<void>;
};

export type TurnResult = {
  /** `ok` only says that the agent finished by itself; whether its answer is valid is judged by the caller. */
  outcome: AgentOutcome;
  /** One sentence; for a failure, with the agent's own words, for example the last lines of its stderr. */
  reason: string;
  /** How long the provider asks us to stay away after a turn that failed; left out: read from the reason. */
  retryAfterMs?: number | undefined;
  /** It failed because the session to resume no longer exists: a fresh one may be tried. */
  sessionLost: boolean;
  /** The agent's session id, as soon as it is known. */
  session: string | null;
  /** What the agent said last. */
  text: string;
  /** What it submitted as structured output; undefined: nothing. */
  structured: JsonValue | undefined;
  /** For this turn only; null when the agent does not report it. */
  usage: Usage | null;
  /** The model that answered; left out when the agent does not report it. */
  model?: string;
  /** The agent's own counters after this turn. */
  rawUsage: JsonValue | null;
  /** Number of the model's tool calls that the policy refused. */
  denials: number;
};

/** What the author of a binding may set, for every driver. */
export type AgentOptions = {
  /** Milliseconds for the whole step; null: no limit. Default 1 hour. */
  timeoutMs?: number | null | undefined;
  /** Milliseconds without a sign of life. Default 10 minutes. */
  idleTimeoutMs?: number | undefined;
  /** Further turns to correct an answer that does not match. Default 1. */
  repairs?: number | undefined;
  /** Turns in which missing evidence is requested before the step fails. Default 2. */
  evidenceTurns?: number | undefined;
  /** Characters of earlier steps in the prompt. Default 24,000. */
  budgetChars?: number | undefined;
  /** Variables passed on in addition to the driver's own. */
  passEnv?: readonly string[] | undefined;
  /** Variables to set. */
  env?: Readonly<Record<string, string>> | undefined;
  /** `private` (default): own configuration and sessions for this thread's role. `user`: the user's own. */
  config?: "private" | "user" | undefined;
  /** Working directory, relative to the step's own. */
  cwd?: string | undefined;
};
