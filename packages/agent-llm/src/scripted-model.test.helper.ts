import {
  type ChatCompletionRequest,
  type ErrorResponse,
  LLMock,
  type TextResponse,
  type ToolCallResponse,
} from "@copilotkit/aimock";

type Reply = (TextResponse | ToolCallResponse | ErrorResponse) & {
  /** The connection breaks after this many pieces. */
  cutAfter?: number;
};

export type ScriptedModel = {
  baseUrl: string;
  /** Bodies of the calls so far. */
  calls(): ChatCompletionRequest[];
  /** Whether they brought a key; the server does not tell which. */
  keys(): boolean[];
  stop(): Promise<void>;
};

/** A model server that answers the n-th call with the n-th reply, and every later one with the last. */
export async function scriptedModel(replies: readonly Reply[]): Promise<ScriptedModel> {
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

export const text = (content: string): Reply => ({
  content,
  usage: { prompt_tokens: 100, completion_tokens: 5 },
});

export const refusal = (status: number, message: string, retryAfter?: number): Reply => ({
  status,
  error: { message, type: "error" },
  ...(retryAfter === undefined ? {} : { retryAfter }),
});
