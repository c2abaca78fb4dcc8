import type { AgentOutcome, JsonObject, Result, Usage } from "@uncaged/workflow-protocol";

/** A tool call as the model wrote it; the arguments are text until somebody parses them. */
export type ToolCall = { id: string; name: string; arguments: string };

export type ChatMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string; toolCalls: readonly ToolCall[] }
  | { role: "tool"; toolCallId: string; content: string };

export type ToolDefinition = {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
};

export type LlmRequest = {
  messages: readonly ChatMessage[];
  tools: readonly ToolDefinition[];
  signal: AbortSignal;
  /** Text as it arrives, for live display. Text of a failed attempt is not taken back. */
  onText?: ((text: string) => void) | undefined;
  /** Called before each retry. `retryAfterMs`: what the server asks for; left out: nothing. */
  onRetry?:
    | ((retry: { reason: string; delayMs: number; retryAfterMs?: number | undefined }) => void)
    | undefined;
  /** Waits before a retry, instead of a plain timer. Rejects when `signal` aborts. */
  standBack?: ((delayMs: number) => Promise<void>) | undefined;
};

export type LlmReply = { text: string; toolCalls: readonly ToolCall[]; usage: Usage };

export type LlmFailure = {
  outcome: Exclude<AgentOutcome, "ok">;
  reason: string;
  /** How long the server asks us to stay away; left out: it does not say. */
  retryAfterMs?: number | undefined;
};

/** One answer of a model. Never rejects: a failure is a value. Retries are included: callers add none. */
export type LlmFn = (request: LlmRequest) => Promise<Result<LlmReply, LlmFailure>>;
