/** What an adapter package writes. Everything that is the same for all agents is done around it, by
 *  `createAgent`: prompts, sessions, structured output, repair turns, the evidence gate, limits, records. */
import type {
  AgentEvent,
  AgentHost,
  AgentOutcome,
  AgentProbe,
  JsonObject,
  JsonValue,
  ToolCallRecord,
  ToolPolicy,
  Usage,
} from "@uncaged/workflow-protocol";
import type { Redactor } from "@uncaged/workflow-util";
import type { Environment } from "./cli-environment.ts";
import type { ThreadReach } from "./thread-access.ts";

export type AgentDriver = {
  /** Stands in run records: `claude-code`. */
  name: string;
  /** Variables of our own environment that the agent needs (its key, its endpoint). It gets no other secret. */
  passEnv: readonly string[];
  /** What the agent can do, so that nothing is promised in vain. */
  can: {
    /** It reports its tool calls, so evidence can be asked of it. */
    evidence: boolean;
    /** A tool policy is enforced where the agent fails closed. A role with a policy is refused otherwise. */
    policy: boolean;
    /** A session can be gone on with in a later process. */
    resume: boolean;
    /** It can be told to go on in a copy of a session, which stays as it is (`AgentStep.copiesSession`). Default false. */
    copy?: boolean;
  };
  /** Secrets that the environment does not tell by a variable's name: a key that stands in the configuration. They are
   *  kept out of whatever is stored or shown, as those of the environment are. */
  secrets?: (env: Environment) => readonly string[];
  /** It hands `AgentStep.systemPrompt` to its model apart, so the turns' prompts do not repeat it. Default false. */
  systemPromptApart?: boolean;
  /** It can run commands, so it is told of those that load more of the thread, as far as the role's policy allows
   *  them. Default true. */
  runsCommands?: boolean;
  /** Names of the tool that runs them, as policies know it. Default: those that are usual. */
  shellTools?: readonly string[];
  /** What it calls a tool of `uncaged-workflow mcp` by, where that server was given to it: a role that may not run
   *  commands is told of these. null: it has none. Default null. */
  mcpTool?: ThreadReach["mcpTool"];
  /** What of `AgentStep.home` the agent needs to go on with a session, as paths under it: `projects`, or with a star for
   *  one name, `state_*.sqlite`. All else there is gone before each step. Default: nothing. */
  keeps?: readonly string[];
  /** Why a certain policy could not be enforced, though others can; null: it can. Default: null. */
  refuses?(policy: ToolPolicy): string | null;
  /** Looks for the program, its version and its log-in. Never throws, never opens a session. */
  probe(host: Pick<AgentHost, "env">): Promise<AgentProbe>;
  /** Prepares the agent for one step: its folder, its configuration, its process if it has one for several
   *  turns. Rejects with what `agentError` makes. */
  open(step: AgentStep): Promise<AgentConversation>;
};

/** One step as an agent sees it. */
export type AgentStep = {
  threadId: string;
  role: string;
  round: number;
  /** Absolute directory to work in. */
  cwd: string;
  /** Folder for the agent's private configuration and sessions: made, mode 0700, the same for every step of
   *  this thread's role. */
  home: string;
  /** Passed to every process as the run mark. */
  runMark: string;
  /** All that the agent's process gets to see of an environment. */
  env: Readonly<Record<string, string>>;
  /** Session to go on with; null: a new one. */
  session: string | null;
  /** That session is another thread's: it is to be gone on with in a copy that has an id of its own. */
  copiesSession: boolean;
  /** The agent's counters at the end of that session's last turn, as `TurnResult.rawUsage` gave them. */
  previousRawUsage: JsonValue | null;
  /** The role's own prompt. A session's first prompt holds it too, unless the driver is `systemPromptApart`. */
  systemPrompt: string;
  /** JSON Schema that the final answer has to satisfy, for agents that can be told. */
  outputSchema: JsonObject;
  policy: ToolPolicy | null;
  /** The role has a policy or required evidence: settings and instructions of the working directory, which the agent
   *  itself can write, must not change what its tools do. */
  isHeld: boolean;
  /** Milliseconds. `timeoutMs` is what is left of the step's time whenever it is read; null: no limit. */
  limits: { readonly timeoutMs: number | null; readonly idleTimeoutMs: number };
  /** Aborts when the thread is stopped or killed, and when the step's time is over. */
  signal: AbortSignal;
  /** Live output. Never blocks, never throws. `started` and `end` are emitted around the driver. */
  emit: (event: AgentEvent) => void;
  /** Evidence: a tool call that came to its end. Never throws; called once a call. */
  seen: (call: ToolCallRecord) => void;
  /** Takes secrets out of a text or, by `stream`, out of what a program prints: for what a driver keeps or quotes by
   *  itself. What it emits and gives back is seen to. */
  redact: Redactor;
  /** Thread, role, round, task and the way to load the context: what no compaction may lose. */
  reminder: string;
  /** What is still missing of the required evidence, in words for the agent; null: nothing. For agents that
   *  can be held before they stop: the step's record says that it was told. */
  stillMissing: () => string | null;
};

/** One or several turns in one session. */
export type AgentConversation = {
  /** Sends the prompt and waits for the end of the turn, or for a limit, or for the abort. Never rejects:
   *  how it ended is a value. Afterwards nothing that the turn started is left running, but a process that
   *  serves the next turn. */
  turn(prompt: string): Promise<TurnResult>;
  /** Ends every process of the conversation. Never rejects; a second call does nothing. */
  close(): Promise<void>;
};

export type TurnResult = {
  /** `ok` says only that the agent came to its end by itself; whether its answer is one is judged outside. */
  outcome: AgentOutcome;
  /** One sentence; for a failure with the agent's own words, for example the last lines of its stderr. */
  reason: string;
  /** The outcome is that the session to go on with is not there any more: a fresh one may be tried. */
  sessionLost: boolean;
  /** The agent's session id, as soon as one is known. */
  session: string | null;
  /** What the agent said last. */
  text: string;
  /** What it handed in by its own structured output; undefined: nothing. */
  structured: JsonValue | undefined;
  /** Of this turn alone; null when the agent does not say. */
  usage: Usage | null;
  /** The agent's own counters after this turn. */
  rawUsage: JsonValue | null;
  /** Model calls of tools that were refused by the policy. */
  denials: number;
};

/** What the author of a binding may set, for every driver. */
export type AgentOptions = {
  /** Milliseconds for the whole step; null: no limit. Default 1 hour. */
  timeoutMs?: number | null | undefined;
  /** Milliseconds without a sign of life. Default 10 minutes. */
  idleTimeoutMs?: number | undefined;
  /** Further turns to mend an answer that does not fit. Default 1. */
  repairs?: number | undefined;
  /** Turns in which missing evidence is asked for before the step fails. Default 2. */
  evidenceTurns?: number | undefined;
  /** Characters of earlier steps in the prompt. Default 24,000. */
  budgetChars?: number | undefined;
  /** Variables passed on besides the driver's own. */
  passEnv?: readonly string[] | undefined;
  /** Variables set. */
  env?: Readonly<Record<string, string>> | undefined;
  /** `private` (default): own configuration and sessions for this thread's role. `user`: the user's own. */
  config?: "private" | "user" | undefined;
  /** Directory to work in, relative to the step's own. */
  cwd?: string | undefined;
};
