import type { JsonObject, JsonValue } from "./json.ts";

/** A role that coordinates: its agent starts workers, and is told when they end. Workers are child threads. */
export type Coordinates = {
  /** Names of registered workflows that workers may run; the first unless the coordinator names another. */
  workflows: readonly string[];
  /** Names in `config.agents` of agents that may play the roles of workers; the first unless the coordinator names
   *  another. Default: whoever their workflow binds. */
  agents?: readonly string[] | undefined;
  /** Workers that run side by side. Default 4. */
  atOnce?: number | undefined;
  /** Workers of one step in all. Default 20. */
  max?: number | undefined;
  /** Share of the thread's limits of tokens and cost that workers may use together: above 0, at most 1. Default 0.8. */
  budgetShare?: number | undefined;
  /** Milliseconds from the first worker on; then no worker starts any more, and those that run are ended. Default: no
   *  limit but the role's own. */
  timeoutMs?: number | undefined;
};

/** With what it leaves out. */
export function boundsOf({ atOnce = 4, max = 20, budgetShare = 0.8 }: Coordinates): {
  atOnce: number;
  max: number;
  budgetShare: number;
} {
  return { atOnce, max, budgetShare };
}

/** A tool that the engine lends to an agent for one step. */
export type EngineTool = {
  name: string;
  description: string;
  /** JSON Schema of its arguments: one object. */
  parameters: JsonObject;
  /** It changes nothing. */
  readOnly: boolean;
  /** Never rejects: what went wrong is an answer for the agent. */
  call(input: JsonValue): Promise<{ text: string; ok: boolean }>;
};

/** The session in which an agent coordinates, as it stood at the end of a turn. */
export type CoordinatorSession = {
  /** Name of the agent that had it. */
  agent: string;
  session: string;
  /** The agent's own counters. */
  rawUsage: JsonValue | null;
};

/** A coordinating step's hold on its workers. */
export type WorkerDesk = {
  tools: readonly EngineTool[];
  /** What the agent has to know about them; with what has happened so far, when the step was begun before. */
  manners(): Promise<string>;
  /** The session that an attempt which was cut off had; null: there was none. */
  session(): Promise<CoordinatorSession | null>;
  /** What an agent is told that goes on in that session. */
  resumed(): Promise<string>;
  /** A turn has ended. Waits, and returns the next message of the conversation; null: no worker is under way, and
   *  everything has been told. Rejects when `signal` aborts. */
  news(turn: CoordinatorSession | null, signal: AbortSignal): Promise<string | null>;
};

/** Names of the tools, as every agent sees the end of them. */
export const WORKER_TOOLS = [
  "worker_spawn",
  "worker_message",
  "worker_stop",
  "worker_list",
] as const;
/** Names by which agents call the tool that starts another agent. */
export const SUB_AGENT_TOOLS = ["Agent", "Task", "task"] as const;
export type WorkerTool = (typeof WORKER_TOOLS)[number];
