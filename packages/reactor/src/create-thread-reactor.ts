/** The loop of model and tools that ends in a value of a schema.
 *
 *  1. It ends with plain JSON that fits the schema, or with the structured tool's valid arguments.
 *  2. What does not fit is answered, never thrown away: a tool call by a tool result, for strict servers refuse
 *     a history with an unanswered call; plain text by a correction.
 *  3. Rounds are counted here, retries of the transport are not rounds. */
import { err, jsonInText, ok, type Result, sumUsage, type Usage } from "@uncaged/workflow-protocol";
import { z } from "zod";
import type {
  ChatMessage,
  LlmFailure,
  LlmFn,
  LlmReply,
  LlmRequest,
  ToolCall,
  ToolDefinition,
} from "./chat.ts";
import { NO_USAGE } from "./usage.ts";

export type ReactorConfig = {
  llm: LlmFn;
  /** Tools beside the structured one. */
  staticTools: readonly ToolDefinition[];
  /** The tool whose arguments are the result. */
  structuredToolFromSchema: (schema: z.ZodType) => ToolDefinition;
  /** Tells the model how to hand in its result. */
  systemPromptForStructuredTool: (toolName: string) => string;
  /** Answers a call of one of `staticTools`; what it throws is told to the model. */
  toolHandler: (call: ToolCall, signal: AbortSignal) => Promise<string>;
  maxRounds: number;
};

export type ReactRequest<T> = {
  schema: z.ZodType<T>;
  messages: readonly ChatMessage[];
} & Pick<LlmRequest, "signal" | "onText" | "onRetry">;

export type ReactSuccess<T> = {
  value: T /** The model's last text. */;
  text: string;
  rounds: number;
  usage: Usage;
};
export type ReactFailure = "max_react_rounds_exceeded" | LlmFailure;

export type ThreadReactor = <T>(
  request: ReactRequest<T>,
) => Promise<Result<ReactSuccess<T>, ReactFailure>>;

export function createThreadReactor(config: ReactorConfig): ThreadReactor {
  return async <T>(request: ReactRequest<T>) => {
    const { schema, signal, onText, onRetry } = request;
    const structured = config.structuredToolFromSchema(schema);
    const system = config.systemPromptForStructuredTool(structured.name);
    const messages: ChatMessage[] = [{ role: "system", content: system }, ...request.messages];
    const tools = [...config.staticTools, structured];
    let usage = NO_USAGE;
    for (let round = 1; round <= config.maxRounds; round++) {
      const reply = await config.llm({ messages, tools, signal, onText, onRetry });
      if (!reply.ok) return reply;
      usage = sumUsage(usage, reply.value.usage);
      const { text } = reply.value;
      const value = resultIn(reply.value, structured.name, schema);
      if (value.ok) return ok({ value: value.value, text, rounds: round, usage });
      messages.push({ role: "assistant", content: text, toolCalls: reply.value.toolCalls });
      messages.push(
        ...(await answersTo(config, reply.value, {
          structured,
          schema,
          signal,
          problem: value.error,
        })),
      );
    }
    return err("max_react_rounds_exceeded");
  };
}

/** The result, if the reply holds one. */
function resultIn<T>(reply: LlmReply, toolName: string, schema: z.ZodType<T>): Result<T, string> {
  for (const call of reply.toolCalls) {
    if (call.name !== toolName) continue;
    const parsed = parseArguments(call, schema);
    if (parsed.ok) return parsed;
  }
  if (reply.toolCalls.length > 0) return err("");
  for (const candidate of jsonInText(reply.text)) {
    const parsed = schema.safeParse(candidate);
    if (parsed.success) return ok(parsed.data);
  }
  const [first] = jsonInText(reply.text);
  if (first === undefined) return err("It holds no JSON.");
  const parsed = schema.safeParse(first);
  return err(parsed.success ? "" : z.prettifyError(parsed.error));
}

async function answersTo(
  config: ReactorConfig,
  reply: LlmReply,
  at: { structured: ToolDefinition; schema: z.ZodType; signal: AbortSignal; problem: string },
): Promise<ChatMessage[]> {
  if (reply.toolCalls.length === 0) {
    const correction = `That is not a result of the required shape. ${at.problem}\nCall ${at.structured.name}, or answer with the JSON alone.`;
    return [{ role: "user", content: correction }];
  }
  const answers: ChatMessage[] = [];
  for (const call of reply.toolCalls) {
    answers.push({ role: "tool", toolCallId: call.id, content: await answerTo(config, call, at) });
  }
  return answers;
}

async function answerTo(
  config: ReactorConfig,
  call: ToolCall,
  at: { structured: ToolDefinition; schema: z.ZodType; signal: AbortSignal },
): Promise<string> {
  if (call.name === at.structured.name) {
    const parsed = parseArguments(call, at.schema);
    return parsed.ok ? "" : `Error: ${parsed.error}`;
  }
  if (!config.staticTools.some(({ name }) => name === call.name))
    return `Error: there is no tool ${call.name}.`;
  try {
    return await config.toolHandler(call, at.signal);
  } catch (thrown) {
    return `Error: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}

function parseArguments<T>(call: ToolCall, schema: z.ZodType<T>): Result<T, string> {
  let value: unknown;
  try {
    value = JSON.parse(call.arguments === "" ? "{}" : call.arguments);
  } catch (thrown) {
    return err(
      `the arguments are not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : err(z.prettifyError(parsed.error));
}
