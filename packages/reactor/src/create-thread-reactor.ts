/** The loop of model and tools that ends in a value of a schema.
 *
 *  1. It ends with plain JSON that matches the schema, or with the structured tool's valid arguments.
 *  2. A mismatch is answered, never discarded: a tool call with a tool result, plain text with a correction; unless
 *     the caller ends with it (`onMisfit`).
 *  3. It is bounded: rounds, calls per reply, calls that teach nothing. Rounds are counted here; transport retries
 *     are not rounds.
 *  4. A reply is reported before its calls are made, because it is paid for whatever happens to them; a round is
 *     reported once it is complete, before the next one starts. */
import { err, jsonInText, ok, type Result, sumUsage, type Usage } from "@uncaged/workflow-protocol";
import type { z } from "zod";
import { answerCalls, type ToolHandler } from "./answer-calls.ts";
import type {
  ChatMessage,
  LlmFailure,
  LlmFn,
  LlmReply,
  LlmRequest,
  ToolDefinition,
} from "./chat.ts";
import { type EndingTool, endingTool } from "./ending-tool.ts";
import { type Repetition, repetition } from "./repetition.ts";
import { NO_USAGE } from "./usage.ts";

export type ReactorConfig = {
  llm: LlmFn;
  /** Tools in addition to the structured one. */
  staticTools: readonly ToolDefinition[];
  /** The tool whose arguments are the result. Its parameters may be any JSON Schema, see `endingTool`. */
  structuredToolFromSchema: (schema: z.ZodType) => ToolDefinition;
  /** Tells the model how to submit its result. */
  systemPromptForStructuredTool: (toolName: string) => string;
  /** For calls of `staticTools`. */
  toolHandler: ToolHandler;
  /** Limit for one request. */
  maxRounds: number;
  /** Which calls the model has made, for requests that continue each other. Default: a new one for each request. */
  repeats?: Repetition | undefined;
};

export type ReactRequest<T> = {
  schema: z.ZodType<T>;
  messages: readonly ChatMessage[];
  /** Called with each reply, before its calls are made. */
  onReply?: ((reply: LlmReply) => void) | undefined;
  /** Called with what each round adds to the messages, and awaited: the reply, and the answers to its calls. */
  onRound?: ((added: readonly ChatMessage[]) => Promise<void>) | undefined;
  /** Called with a mismatch: returns what to end with in spite of it, or null: the model is told and continues.
   *  Default: it always continues. */
  onMisfit?: ((misfit: Misfit) => T | null) | undefined;
} & Pick<LlmRequest, "signal" | "onText" | "onRetry" | "standBack">;

export type Misfit = {
  /** `text`: a reply that calls no tool. */
  by: "tool" | "text";
  why: string;
  /** What was submitted; undefined: nothing that is JSON. */
  value: unknown;
};

export type ReactSuccess<T> = {
  value: T;
  /** The model's last text. */
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
    const { schema, signal, onText, onRetry, standBack } = request;
    const ending = endingTool(config.structuredToolFromSchema(schema), schema);
    const { definition } = ending;
    const system = config.systemPromptForStructuredTool(definition.name);
    const messages: ChatMessage[] = [{ role: "system", content: system }, ...request.messages];
    const tools = [...config.staticTools, definition];
    const parts = { config, request, ending, repeats: config.repeats ?? repetition() };
    let usage = NO_USAGE;
    for (let rounds = 1; rounds <= config.maxRounds; rounds++) {
      const reply = await config.llm({ messages, tools, signal, onText, onRetry, standBack });
      if (!reply.ok) return reply;
      const { text, toolCalls } = reply.value;
      usage = sumUsage(usage, reply.value.usage);
      request.onReply?.(reply.value);
      const { answers, end } =
        toolCalls.length === 0
          ? await readText(reply.value, parts)
          : await readCalls(reply.value, parts);
      const added: ChatMessage[] = [{ role: "assistant", content: text, toolCalls }, ...answers];
      messages.push(...added);
      await request.onRound?.(added);
      if (signal.aborted) return err(CANCELLED);
      if (end !== null) return end.ok ? ok({ value: end.value, text, rounds, usage }) : end;
    }
    return err("max_react_rounds_exceeded");
  };
}

type RoundParts<T> = {
  config: ReactorConfig;
  request: ReactRequest<T>;
  ending: EndingTool<T>;
  repeats: Repetition;
};

/** `end`: null: it continues. */
type Round<T> = { answers: readonly ChatMessage[]; end: Result<T, LlmFailure> | null };

async function readCalls<T>(
  { toolCalls }: LlmReply,
  { config, request, ending, repeats }: RoundParts<T>,
): Promise<Round<T>> {
  const { staticTools: tools, toolHandler } = config;
  const { signal } = request;
  const parts = { tools, toolHandler, ending, repeats, signal };
  const { answers, handIn, isRunaway } = await answerCalls(toolCalls, parts);
  if (handIn?.ok === true) return { answers, end: handIn };
  if (isRunaway) return { answers, end: err(RUNAWAY) };
  const end = handIn === null ? null : endWith(request, { by: "tool", ...handIn.error });
  return { answers, end };
}

async function readText<T>(
  { text }: LlmReply,
  { request, ending }: RoundParts<T>,
): Promise<Round<T>> {
  let why: string | null = null;
  for (const candidate of jsonInText(text)) {
    const read = await ending.fits(candidate);
    if (read.ok) return { answers: [], end: read };
    why ??= read.error;
  }
  why ??= "It holds no JSON.";
  const end = endWith(request, { by: "text", why, value: undefined });
  if (end !== null) return { answers: [], end };
  const content = `That is not a result of the required shape. ${why}\nCall ${ending.definition.name}, or answer with the JSON alone.`;
  return { answers: [{ role: "user", content }], end };
}

function endWith<T>({ onMisfit }: ReactRequest<T>, misfit: Misfit): Result<T, never> | null {
  const value = onMisfit?.(misfit) ?? null;
  return value === null ? null : ok(value);
}

const RUNAWAY: LlmFailure = {
  outcome: "crashed",
  reason: "it made the same tool calls again and again",
};

const CANCELLED: LlmFailure = { outcome: "cancelled", reason: "it was stopped" };
