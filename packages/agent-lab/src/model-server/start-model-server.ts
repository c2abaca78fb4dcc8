import {
  type ChatCompletionRequest,
  type ErrorResponse,
  LLMock,
  type ResponseOverrides,
  type TextResponse,
  type ToolCallResponse,
} from "@copilotkit/aimock";
import { flatTools } from "./flat-tools.ts";
import { ANSWER_TOOLS, HANDED_IN, nextMark, type ScriptOf } from "./next-mark.ts";
import type { Mark } from "./script.ts";
import { editCall, namedCall, shellCall } from "./tools.ts";

export type ModelServer = {
  /** `http://127.0.0.1:port`, without a path. */
  url: string;
  /** Bodies of the model calls so far, in one format for all protocols. */
  calls(): readonly ChatCompletionRequest[];
  /** Ends all pending calls and the server. */
  stop(): Promise<void>;
};

/** The reported usage of every answered call. */
export const CALL_USAGE = { inputTokens: 1000, outputTokens: 50 } as const;

type Reply = TextResponse | ToolCallResponse | ErrorResponse;

export type ModelOptions = {
  /** The script for a prompt. Default: the one it contains. */
  scriptOf?: ScriptOf;
};

/** A model on loopback that follows the script in the prompt (script.ts), using the protocols of OpenAI (chat and
 *  responses), Anthropic and Gemini. */
export async function startModelServer({
  scriptOf = (prompt) => prompt,
}: ModelOptions = {}): Promise<ModelServer> {
  const stopping = new AbortController();
  const plan = planner(scriptOf);
  const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
  const isCut = (request: ChatCompletionRequest) =>
    kindOf(plan(request)) === "cut" && request.stream === true;
  mock.on({ predicate: isCut }, { content: CUT_TEXT, ...OVERRIDES }, { truncateAfterChunks: 3 });
  mock.on({ predicate: (request) => kindOf(plan(request)) === "silence" }, async () => {
    await new Promise<void>((resolve) => onAbort(stopping.signal, resolve));
    return error(503, "the server stops", "api_error");
  });
  mock.on({ predicate: () => true }, (request) => replyTo(request, plan(request)));
  await mock.start();
  const front = await flatTools(mock.url);
  return {
    url: front.url,
    calls: () => mock.getRequests().flatMap((entry) => callOf(entry.body)),
    stop: async () => {
      stopping.abort();
      await front.stop();
      await mock.stop();
    },
  };
}

/** The mark of a request, determined once, because determining a failing mark counts it. */
function planner(
  scriptOf: ScriptOf,
): (request: ChatCompletionRequest) => Mark | "handed in" | null {
  const failures = new Map<string, number>();
  const planned = new WeakMap<ChatCompletionRequest, { mark: Mark | "handed in" | null }>();
  return (request) => {
    const known = planned.get(request) ?? { mark: nextMark(request, scriptOf, failures) };
    planned.set(request, known);
    return known.mark;
  };
}

function replyTo(request: ChatCompletionRequest, mark: Mark | "handed in" | null): Reply {
  if (mark === null) return text("A title");
  if (mark === "handed in") return text(HANDED_IN);
  switch (mark.kind) {
    case "text":
      return text(mark.text);
    case "json":
      return answer(request, mark.json);
    case "shell":
      return { toolCalls: [shellCall(toolsOf(request), mark.command)], ...OVERRIDES };
    case "edit":
      return { toolCalls: [editCall(toolsOf(request), mark)], ...OVERRIDES };
    case "tool":
      return { toolCalls: [namedCall(toolsOf(request), mark)], ...OVERRIDES };
    case "429":
      return { ...error(429, "Rate limit reached", "rate_limit_error"), retryAfter: 1 };
    case "unauthorized":
      return error(401, "invalid x-api-key", "authentication_error");
    case "overflow":
      return tooLong(request.model);
    case "cut":
    case "silence":
      return error(500, "the stream broke off", "api_error");
  }
}

function answer(request: ChatCompletionRequest, json: string): Reply {
  const tool = ANSWER_TOOLS.find((each) => toolsOf(request).includes(each));
  return tool === undefined
    ? text(json)
    : { toolCalls: [{ name: tool, arguments: json }], ...OVERRIDES };
}

/** In each vendor's words, which programs look for. */
function tooLong(model: string): ErrorResponse {
  if (model.startsWith("claude")) {
    return error(
      400,
      "prompt is too long: 250000 tokens > 200000 maximum",
      "invalid_request_error",
    );
  }
  if (model.startsWith("gemini")) {
    return error(
      400,
      "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
      "INVALID_ARGUMENT",
    );
  }
  return {
    status: 400,
    error: {
      message:
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 250000 tokens.",
      type: "invalid_request_error",
      code: "context_length_exceeded",
    },
  };
}

const CUT_TEXT = "This sentence breaks off before it comes to its end, for the stream does.";

/** Under each protocol's own names. */
const OVERRIDES: Pick<ResponseOverrides, "usage"> = {
  usage: {
    prompt_tokens: CALL_USAGE.inputTokens,
    completion_tokens: CALL_USAGE.outputTokens,
    input_tokens: CALL_USAGE.inputTokens,
    output_tokens: CALL_USAGE.outputTokens,
    promptTokenCount: CALL_USAGE.inputTokens,
    candidatesTokenCount: CALL_USAGE.outputTokens,
  },
};

const text = (content: string): TextResponse => ({ content, ...OVERRIDES });

const error = (status: number, message: string, type: string): ErrorResponse => ({
  status,
  error: { message, type },
});

const toolsOf = (request: ChatCompletionRequest): string[] =>
  (request.tools ?? []).map((each) => each.function.name);

const kindOf = (mark: Mark | "handed in" | null) =>
  mark === null || mark === "handed in" ? null : mark.kind;

function onAbort(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener("abort", then, { once: true });
}

function callOf(body: unknown): ChatCompletionRequest[] {
  return isCall(body) ? [body] : [];
}

function isCall(body: unknown): body is ChatCompletionRequest {
  return typeof body === "object" && body !== null && "messages" in body;
}
