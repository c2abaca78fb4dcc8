export type { ToolAnswer, ToolHandler } from "./answer-calls.ts";
export type {
  ChatMessage,
  LlmFailure,
  LlmFn,
  LlmReply,
  LlmRequest,
  ToolCall,
  ToolDefinition,
} from "./chat.ts";
export { createLlmFn } from "./create-llm-fn.ts";
export {
  createThreadReactor,
  type Misfit,
  type ReactFailure,
  type ReactorConfig,
  type ReactRequest,
  type ReactSuccess,
  type ThreadReactor,
} from "./create-thread-reactor.ts";
export type { LlmProvider } from "./llm-provider.ts";
export { type Repetition, repetition } from "./repetition.ts";
export { NO_USAGE } from "./usage.ts";
