import type { ChatMessage, LlmRequest, ToolDefinition } from "./chat.ts";

/** The request in the format of the chat-completions protocol. */
export function requestBody(
  model: string,
  { messages, tools }: LlmRequest,
): Record<string, unknown> {
  return {
    model,
    messages: messages.map(wireMessage),
    ...(tools.length === 0 ? {} : { tools: tools.map(wireTool) }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function wireMessage(message: ChatMessage): Record<string, unknown> {
  switch (message.role) {
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
    case "assistant":
      return { role: "assistant", content: message.content, ...wireCalls(message.toolCalls) };
    default:
      return { role: message.role, content: message.content };
  }
}

function wireCalls(
  calls: Extract<ChatMessage, { role: "assistant" }>["toolCalls"],
): Record<string, unknown> {
  if (calls.length === 0) return {};
  return {
    tool_calls: calls.map(({ id, name, arguments: text }) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    })),
  };
}

function wireTool({ name, description, parameters }: ToolDefinition): Record<string, unknown> {
  return { type: "function", function: { name, description, parameters } };
}
