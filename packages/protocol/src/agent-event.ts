import type { JsonValue } from "./json.ts";
import type { Usage } from "./step-run.ts";

export const AGENT_OUTCOMES = [
  "ok",
  "invalid_output",
  "denied",
  "context_overflow",
  "rate_limited",
  "auth",
  "cancelled",
  "crashed",
  "timeout",
] as const;
/** How a run of an agent ended, by the engine's own verdict. */
export type AgentOutcome = (typeof AGENT_OUTCOMES)[number];

/** What an agent does while it runs, for live display. Emitting never blocks and never throws. */
export type AgentEvent =
  | { type: "started"; agent: string; session: string | null }
  | { type: "text"; text: string }
  | { type: "tool"; phase: "start"; id: string; name: string; input: JsonValue }
  | { type: "tool"; phase: "end"; id: string; name: string; ok: boolean }
  | { type: "permission"; tool: string; allowed: boolean; reason: string }
  | { type: "usage"; usage: Usage }
  /** `retryAfterMs`: how long the provider asked us to stay away; left out: it did not say. */
  | { type: "retry"; reason: string; delayMs: number; retryAfterMs?: number | undefined }
  | { type: "end"; outcome: AgentOutcome; reason: string };
