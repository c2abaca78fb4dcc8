import type { AgentOutcome, JsonObject, Result, Usage } from "@uncaged/workflow-protocol";

/** A call of a tool as the model wrote it; the arguments are text until somebody parses them. */
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
  /** Text as it comes, for live display. Text of a try that failed is not taken back. */
  onText?: ((text: string) => void) | undefined;
  /** Called before each further try. */
  onRetry?: ((retry: { reason: string; delayMs: number }) => void) | undefined;
};

export type LlmReply = { text: string; toolCalls: readonly ToolCall[]; usage: Usage };

export type LlmFailure = { outcome: Exclude<AgentOutcome, "ok">; reason: string };

/** One answer of a model. Rejects never: a failure is a value. Retries are inside: a caller does not add any. */
export type LlmFn = (request: LlmRequest) => Promise<Result<LlmReply, LlmFailure>>;
