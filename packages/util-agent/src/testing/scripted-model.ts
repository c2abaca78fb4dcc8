/** A model server on loopback for tests of adapters that call a model themselves. A separate entry point, because it
 *  needs `@copilotkit/aimock`, which other tests do not. */
import {
  type ChatCompletionRequest,
  type ErrorResponse,
  LLMock,
  type TextResponse,
  type ToolCallResponse,
} from "@copilotkit/aimock";

export type ScriptedReply = (TextResponse | ToolCallResponse | ErrorResponse) & {
  /** The connection breaks after this many pieces. */
  cutAfter?: number;
};

export type ScriptedModel = {
  baseUrl: string;
  /** Bodies of the calls so far. */
  calls(): ChatCompletionRequest[];
  /** Whether each call brought a key; the server does not reveal which. */
  keys(): boolean[];
  stop(): Promise<void>;
};

/** A model server that answers the n-th call with the n-th reply, and every later one with the last. */
export async function scriptedModel(replies: readonly ScriptedReply[]): Promise<ScriptedModel> {
  const calls: ChatCompletionRequest[] = [];
  const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
  for (const [at, { cutAfter, ...reply }] of replies.entries()) {
    const isTurn = (): boolean => Math.min(calls.length, replies.length - 1) === at;
    const answer = (request: ChatCompletionRequest): typeof reply => {
      calls.push(request);
      return reply;
    };
    const options = cutAfter === undefined ? {} : { truncateAfterChunks: cutAfter, chunkSize: 5 };
    mock.on({ predicate: isTurn }, answer, options);
  }
  await mock.start();
  return {
    baseUrl: `${mock.url}/v1`,
    calls: () => calls,
    keys: () => mock.getRequests().map(({ headers }) => headers.authorization !== undefined),
    stop: () => mock.stop(),
  };
}

/** A reply with this text. */
export const text = (content: string): ScriptedReply => ({
  content,
  usage: { prompt_tokens: 100, completion_tokens: 5 },
});

/** An HTTP status in place of a reply; `retryAfter` in seconds. */
export const refusal = (status: number, message: string, retryAfter?: number): ScriptedReply => ({
  status,
  error: { message, type: "error" },
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

/** A reply that calls these tools; arguments given as a string are sent as they are. */
export const calls = (
  ...made: readonly (readonly [name: string, input: object | string])[]
): ScriptedReply => ({
  toolCalls: made.map(([name, input]) => ({
    name,
    arguments: typeof input === "string" ? input : JSON.stringify(input),
  })),
  usage: { prompt_tokens: 100, completion_tokens: 5 },
});
