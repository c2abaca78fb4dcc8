import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentError, RoleResult } from "@uncaged/workflow-protocol";
import { type FakeRuntime, fakeContext, fakeRuntime } from "@uncaged/workflow-util-agent/testing";
import {
  refusal,
  type ScriptedModel,
  scriptedModel,
  text,
} from "@uncaged/workflow-util-agent/testing/model";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { agent, createLlmAdapter } from "./create-llm-adapter.ts";
import type { LlmConfig } from "./llm-config.ts";

const SCHEMA = z.object({ status: z.enum(["ok", "failed"]) });
const GOOD = '{"status":"ok"}';
const SLOW_MS = 60_000;

let home = "";
let model: ScriptedModel | undefined;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "agent-llm-"));
});
afterEach(async () => {
  await model?.stop();
  model = undefined;
  await rm(home, { recursive: true, force: true });
});

type Meta = z.infer<typeof SCHEMA>;

async function play(
  replies: Parameters<typeof scriptedModel>[0],
  about: { runtime?: FakeRuntime; task?: string; config?: Partial<LlmConfig> } = {},
): Promise<RoleResult<Meta>> {
  model = await scriptedModel(replies);
  const { runtime = fakeRuntime({ home }), task = "Judge it.", config = {} } = about;
  const adapter = createLlmAdapter({ baseUrl: model.baseUrl, model: "lab/model", ...config });
  return adapter("You are a judge.", SCHEMA)(fakeContext(task), runtime);
}

const failed = (played: Promise<unknown>): Promise<AgentError> =>
  played.then(
    () => Promise.reject(new Error("it did not fail")),
    (thrown) => thrown,
  );

describe("createLlmAdapter", () => {
  it("sends the role's prompt as the system message and the thread as the user's", async () => {
    await play([text(GOOD)], { task: "Judge the cake." });
    const [call] = model?.calls() ?? [];
    expect(call?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(call?.messages[0]?.content).toBe("You are a judge.");
    expect(call?.messages[1]?.content).toContain("Judge the cake.");
    expect(call?.messages[1]?.content).not.toContain("You are a judge.");
    expect(call?.messages[1]?.content, "it can run no commands").not.toContain("cas put");
    expect(call?.tools).toBeUndefined();
  });

  it("returns the answer, shows it as it arrives, and records its cost; there is no session", async () => {
    const runtime = fakeRuntime({ home });
    const { meta, run } = await play([text(`I like it.\n\n${GOOD}`)], { runtime });
    expect(meta).toEqual({ status: "ok" });
    expect(run).toMatchObject({
      agent: { name: "llm", version: expect.stringContaining("lab/model") },
      session: null,
      usage: { inputTokens: 100, outputTokens: 5, cachedInputTokens: 0, costUsd: null },
      evidence: [],
    });
    const shown = runtime.events.map((event) => (event.type === "text" ? event.text : "")).join("");
    expect(shown).toContain("I like it.");
    expect(runtime.events.at(-1)).toEqual({ type: "end", outcome: "ok", reason: "" });
  });

  it("has an answer that does not match corrected in the same conversation", async () => {
    const { meta, run } = await play([text('{"status":"perhaps"}'), text(GOOD)]);
    expect(meta).toEqual({ status: "ok" });
    expect(run?.usage?.inputTokens).toBe(200);
    expect(model?.calls()[1]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
  });

  it("fails as invalid_output when no answer matches, and the record travels with the error", async () => {
    const error = await failed(play([text("I would rather not.")]));
    expect(error).toMatchObject({
      outcome: "invalid_output",
      run: { usage: { inputTokens: 200 } },
    });
  });

  it("waits as long as a rate limit says, and shows that it does", {
    timeout: SLOW_MS,
  }, async () => {
    const runtime = fakeRuntime({ home });
    const played = await play([refusal(429, "slow down", 1), text(GOOD)], { runtime });
    expect(played.meta).toEqual({ status: "ok" });
    const retry = runtime.events.find(({ type }) => type === "retry");
    expect(retry?.type === "retry" && retry.delayMs).toBeGreaterThanOrEqual(1_000);
  });

  it.each([
    ["rate_limited", refusal(429, "come back tomorrow", 86_400)],
    ["auth", refusal(401, "no such key")],
    ["context_overflow", refusal(400, "maximum context length is 128000 tokens")],
  ])("ends as %s when the endpoint says so", async (outcome, reply) => {
    expect(await failed(play([reply]))).toMatchObject({ outcome });
  });

  it("asks again when the stream was cut", { timeout: SLOW_MS }, async () => {
    const { meta } = await play([
      { ...text("This breaks off in the middle."), cutAfter: 2 },
      text(GOOD),
    ]);
    expect(meta).toEqual({ status: "ok" });
  });

  it("sends a prompt of 2 MB", { timeout: SLOW_MS }, async () => {
    await play([text(GOOD)], { task: "x".repeat(2_000_000) });
    expect(JSON.stringify(model?.calls()[0]).length).toBeGreaterThan(2_000_000);
  });

  it("keeps every tool policy, because it has no tools, and is refused for required evidence", async () => {
    const tools = { allow: [{ kind: "read" as const }] };
    const kept = await play([text(GOOD)], { runtime: fakeRuntime({ home, rules: { tools } }) });
    expect(kept.meta).toEqual({ status: "ok" });
    await model?.stop();
    const requiredEvidence = [{ name: "tests", kind: "execute" as const, input: "npm test" }];
    const runtime = fakeRuntime({ home, rules: { requiredEvidence } });
    expect((await failed(play([text(GOOD)], { runtime }))).message).toContain("requiredEvidence");
    expect(model?.calls()).toEqual([]);
  });

  it("takes its key from the named variable, and is not called without it", async () => {
    vi.stubEnv("LLM_TEST_KEY", "the-key-of-the-test");
    const config = { envKey: "LLM_TEST_KEY" };
    const runtime = fakeRuntime({ home });
    const reply = text(`the-key-of-the-test\n\n${GOOD}`);
    const { run } = await play([reply], { config, runtime });
    expect(model?.keys()).toEqual([true]);
    expect(JSON.stringify([...runtime.texts, runtime.events, run])).not.toContain("the-key-of");
    vi.unstubAllEnvs();
    await model?.stop();
    const missing = await failed(play([reply], { config: { envKey: "LLM_TEST_KEY" } }));
    expect(missing).toMatchObject({ outcome: "auth", failure: { hint: "set LLM_TEST_KEY" } });
    expect(model?.calls()).toEqual([]);
  });
});

describe("createLlmAdapter, with an endpoint that misbehaves", () => {
  type Behave = (response: ServerResponse) => void;
  async function against<T>(behave: Behave, body: (baseUrl: string) => Promise<T>): Promise<T> {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      behave(response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      return await body(`http://127.0.0.1:${port}/v1`);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
  const judge = (config: LlmConfig, runtime: FakeRuntime): Promise<RoleResult<Meta>> =>
    createLlmAdapter(config)("You are a judge.", SCHEMA)(fakeContext("Judge."), runtime);
  const piece = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ delta, finish_reason: finish }] })}\n\n`;

  it("ends as timeout when the model falls silent, after one try", {
    timeout: SLOW_MS,
  }, async () => {
    let asked = 0;
    const error = await against(
      () => asked++,
      (baseUrl) =>
        failed(judge({ baseUrl, model: "m", idleTimeoutMs: 200 }, fakeRuntime({ home }))),
    );
    expect(error).toMatchObject({ outcome: "timeout" });
    expect(asked).toBe(1);
  });

  it("ends as cancelled at once when the thread is stopped", { timeout: SLOW_MS }, async () => {
    const abort = new AbortController();
    const error = await against(
      () => abort.abort(),
      (baseUrl) =>
        failed(judge({ baseUrl, model: "m" }, fakeRuntime({ home, signal: abort.signal }))),
    );
    expect(error).toMatchObject({ outcome: "cancelled" });
  });

  it("says that the model refused", async () => {
    const refuses: Behave = (response) => {
      response.write(piece({ refusal: "I cannot help with that." }));
      response.end(piece({}, "stop"));
    };
    const error = await against(refuses, (baseUrl) =>
      failed(judge({ baseUrl, model: "m" }, fakeRuntime({ home }))),
    );
    expect(error).toMatchObject({ outcome: "invalid_output" });
    expect(error.message).toContain("I cannot help with that.");
  });

  it.each([
    ["of many pieces", () => piece({ content: "x".repeat(65_536) })],
    ["of one line", (start: boolean) => (start ? "data: " : "x".repeat(65_536))],
  ])(
    "reads no more than it can use of an answer of 100 MB %s",
    { timeout: SLOW_MS },
    async (_what, next) => {
      let sentBytes = 0;
      const flood: Behave = (response) => {
        const more = (): void => {
          while (sentBytes < 100_000_000 && !response.destroyed) {
            const data = next(sentBytes === 0);
            sentBytes += data.length;
            if (!response.write(data)) {
              response.once("drain", more);
              return;
            }
          }
        };
        more();
      };
      const error = await against(flood, (baseUrl) =>
        failed(judge({ baseUrl, model: "m", timeoutMs: 40_000 }, fakeRuntime({ home }))),
      );
      expect(error).toMatchObject({ outcome: "invalid_output" });
      expect(sentBytes).toBeLessThan(40_000_000);
    },
  );
});

describe("the named agent llm", () => {
  const settings = { baseUrl: "http://127.0.0.1:1/v1", model: "m", apiKey: "literal-key-value" };
  const host = { env: {}, resolveModel: () => settings };

  it("finds its model in the configuration, and has no other options", async () => {
    expect(() => agent.create({ model: "lab/m", temprature: 1 }, host)).toThrow(/temprature/);
    expect(() => agent.create({}, host)).toThrow(/model/);
    expect(agent.create({ model: "lab/m", timeoutMs: 1 }, host)).toBeTypeOf("function");
    expect(await agent.probe({ model: "lab/m" }, host)).toMatchObject({ login: "ok", fix: null });
  });

  it("says what is missing when the model cannot be found, and never throws", async () => {
    const resolveModel = (): never => {
      throw new Error("the key of provider lab is not set");
    };
    const probe = await agent.probe({ model: "lab/m" }, { env: {}, resolveModel });
    expect(probe).toMatchObject({ login: "missing", fix: "the key of provider lab is not set" });
  });
});
