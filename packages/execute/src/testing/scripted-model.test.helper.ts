/** A real model server on loopback that answers as a test scripts it, and a storage root that names it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChatCompletionRequest, type FixtureResponse, LLMock } from "@copilotkit/aimock";
import { type EngineModels, engineModels } from "../models/engine-model.ts";

/** A secret key that must appear nowhere. */
export const KEY = "sk-canary-0123456789";

export type ScriptedModel = {
  models: EngineModels;
  /** The requests received, in order. */
  requests: ChatCompletionRequest[];
  close: () => Promise<void>;
};

/** Answers the n-th request with the n-th answer, and every later one with the last. `config`: added to
 *  the configuration, which has the models `extract`, `supervisor` and `summarizer`. */
export async function scriptedModel(
  answers: readonly FixtureResponse[],
  config: Record<string, unknown> = {},
): Promise<ScriptedModel> {
  const requests: ChatCompletionRequest[] = [];
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  mock.on({ systemMessage: /./ }, (request) => {
    requests.push(structuredClone(request));
    return answers[Math.min(requests.length, answers.length) - 1] ?? says("nothing is scripted");
  });
  await mock.start();
  const root = mkdtempSync(join(tmpdir(), "scripted-model-"));
  const models = { extract: "mock/m", supervisor: "mock/m", summarizer: "mock/m" };
  const providers = { mock: { baseUrl: `${mock.url}/v1`, apiKey: "$MOCK_KEY" } };
  writeFileSync(
    join(root, "workflow.yaml"),
    JSON.stringify({ config: { providers, models, ...config } }),
  );
  return {
    models: engineModels(root, { MOCK_KEY: KEY }),
    requests,
    close: async () => {
      await mock.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function says(content: string): FixtureResponse {
  return { content };
}

export function calls(name: string, args: unknown): FixtureResponse {
  return { toolCalls: [{ name, arguments: JSON.stringify(args) }] };
}

/** An answer that is not retried. */
export function refuses(message: string): FixtureResponse {
  return { error: { message }, status: 401 };
}
