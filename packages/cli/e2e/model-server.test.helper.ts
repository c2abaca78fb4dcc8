/** A model server on loopback for the built command: it answers each of the engine's uses as a test scripts it. */
import { type ChatCompletionRequest, type FixtureResponse, LLMock } from "@copilotkit/aimock";

/** A key of the kind that must appear nowhere. */
export const KEY = "sk-canary-0123456789abcdef";

export type ModelServer = {
  baseUrl: string;
  /** What was asked, in order. */
  requests: ChatCompletionRequest[];
  close: () => Promise<void>;
};

/** `answer` sees the request and how many came before it. */
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

/** All that was said to the model, as one text. */
export function said(request: ChatCompletionRequest): string {
  return JSON.stringify(request.messages);
}

export function calls(name: string, args: unknown): FixtureResponse {
  return { toolCalls: [{ name, arguments: JSON.stringify(args) }] };
}
