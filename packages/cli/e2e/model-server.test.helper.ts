/** A model server on loopback for the built command: a test scripts its answers to the engine's requests. */
import { type ChatCompletionRequest, type FixtureResponse, LLMock } from "@copilotkit/aimock";

/** A secret key that must appear nowhere. */
export const KEY = "sk-canary-0123456789abcdef";

export type ModelServer = {
  baseUrl: string;
  /** The requests received, in order. */
  requests: ChatCompletionRequest[];
  close: () => Promise<void>;
};

/** `answer` receives the request and the number of requests before it. */
export async function openModelServer(
  answer: (request: ChatCompletionRequest, before: number) => FixtureResponse,
): Promise<ModelServer> {
  const requests: ChatCompletionRequest[] = [];
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  mock.on({ userMessage: /./ }, (request) => {
    requests.push(structuredClone(request));
    return answer(request, requests.length - 1);
  });
  await mock.start();
  return {
    baseUrl: `${mock.url}/v1`,
    requests,
    close: () => mock.stop(),
  };
}

/** All messages of a request as one text. */
export function said(request: ChatCompletionRequest): string {
  return JSON.stringify(request.messages);
}

export function calls(name: string, args: unknown): FixtureResponse {
  return { toolCalls: [{ name, arguments: JSON.stringify(args) }] };
}
