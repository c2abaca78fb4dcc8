import type { JsonValue } from "./json.ts";

/** Tokens and cost of one run of an agent (the delta of this run, never a running total). */
export type Usage = {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  /** US dollars; null when the agent does not report it. */
  costUsd: number | null;
  /** Some or all of the tokens are an estimate: nobody counted them. */
  estimated?: true;
};

/** The sum. A cost that only one of them reports is taken as the whole cost. */
export function sumUsage(a: Usage, b: Usage): Usage;
export function sumUsage(a: Usage | null, b: Usage | null): Usage | null;
export function sumUsage(a: Usage | null, b: Usage | null): Usage | null {
  if (a === null || b === null) return a ?? b;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    costUsd: a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0),
    ...(a.estimated || b.estimated ? { estimated: true } : {}),
  };
}

/** What an adapter reports about the run that produced a step. */
export type StepRun = {
  agent: {
    name: string;
    version: string;
    /** Name in `config.agents` when a named agent ran the role in place of the bound one. */
    binding?: string;
    /** The model that answered, where the agent reports one. */
    model?: string;
    /** The program that was started, with symbolic links resolved. */
    path?: string;
    /** SHA-256 (hex) of that file when the step began. */
    sha256?: string;
  };
  /** The agent's own session id; null when it has none. */
  session: string | null;
  /** Hash of the assembled prompt; null when it was not kept. */
  prompt: string | null;
  /** Unix milliseconds. */
  startedAt: number;
  /** Unix milliseconds. */
  completedAt: number;
  usage: Usage | null;
  /** The agent's own counters as last reported, for the next run in the same session. Only the agent knows what they
   *  mean. */
  rawUsage?: JsonValue;
  /** What an auditor should know: a session that could not be resumed, a repair turn, a rejected claim. */
  notes?: readonly string[];
  cwd: string;
  /** Hashes of the evidence: what the engine itself saw the agent do. */
  evidence: readonly string[];
  /** The adapter enforced the role's `tools`. */
  policy?: "held";
  /** What kept the agent's programs to themselves. */
  isolation?: "bubblewrap" | "unshare";
  /** Set by the engine when a person played the role. The run began when the person was asked. */
  person?: PersonRecord;
};

/** Who played a role in person. */
export type PersonRecord = {
  /** Who answered: the user of the operating system; null: nobody in time. */
  user: string | null;
  /** Who was asked: names or groups. Empty: anybody. */
  assignees: readonly string[];
};

/** Which moderator rule led to a step. */
export type StepRoute = {
  /** A role, a group or `START`. */
  from: string;
  /** A role, `END` or `SUSPEND`; of a member of a group, its own role. */
  to: string;
  /** Name of the condition, or `FALLBACK`; `NO_MATCH` when no rule matched, which ends the thread. */
  condition: string;
  /** Index of the rule in the table entry of `from`, from 0; null for `NO_MATCH`. */
  rule: number | null;
  /** The edge's prompt with its placeholders filled in. */
  prompt: string | null;
  /** A person wrote the prompt, in place of the edge's own; left out: it is the edge's. */
  promptFrom?: "person";
  /** The rule was tried because a limit forbade the step that the other rules led to. */
  outcome?: "limit";
};
