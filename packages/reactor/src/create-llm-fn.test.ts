import { LLMock } from "@copilotkit/aimock";
import type { Result } from "@uncaged/workflow-protocol";
import { afterEach, describe, expect, it } from "vitest";
import type { LlmFailure, LlmReply, LlmRequest } from "./chat.ts";
import { createLlmFn } from "./create-llm-fn.ts";
import type { LlmProvider } from "./llm-provider.ts";
import {
  begin,
  delta,
  type Endpoint,
  event,
  finish,
  refuses,
  type Scripted,
  scriptedEndpoint,
  streams,
  whole,
} from "./scripted-endpoint.test.helper.ts";

let endpoint: Endpoint | undefined;
afterEach(() => endpoint?.close());

const answer = streams(delta("Hel"), delta("lo"), finish(), {
  choices: [],
  usage: { prompt_tokens: 7, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } },
});

async function ask(
  scripts: Scripted[],
  opts: Partial<LlmProvider> & { request?: Partial<LlmRequest> } = {},
): Promise<Result<LlmReply, LlmFailure>> {
  endpoint = await scriptedEndpoint(scripts);
  const { request, ...provider } = opts;
  const llm = createLlmFn({
    baseUrl: endpoint.baseUrl,
    model: "m",
    apiKey: "secret-key",
    random: () => 0,
    ...provider,
  });
  return llm({
    messages: [{ role: "user", content: "hi" }],
    tools: [],
    signal: new AbortController().signal,
    ...request,
  });
}

describe("createLlmFn", () => {
  it("returns the streamed text and its cost", async () => {
    const heard: string[] = [];
    const reply = await ask([answer], { request: { onText: (text) => heard.push(text) } });
    expect(reply).toEqual({
      ok: true,
      value: {
        text: "Hello",
        toolCalls: [],
        usage: { inputTokens: 7, outputTokens: 2, cachedInputTokens: 3, costUsd: null },
      },
    });
    expect(heard).toEqual(["Hel", "lo"]);
    expect(endpoint?.requests[0]?.headers.authorization).toBe("Bearer secret-key");
  });

  it("assembles a tool call from its pieces", async () => {
    const piece = (fn: object, id?: string): unknown => ({
      choices: [{ delta: { tool_calls: [{ index: 0, id, function: fn }] } }],
    });
    const reply = await ask([
      streams(
        piece({ name: "read", arguments: '{"a"' }, "c1"),
        piece({ arguments: ":1}" }),
        finish("tool_calls"),
      ),
    ]);
    expect(reply).toMatchObject({
      ok: true,
      value: { toolCalls: [{ id: "c1", name: "read", arguments: '{"a":1}' }] },
    });
  });

  it("reads a server that does not stream", async () => {
    const body = { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] };
    expect(await ask([whole(body)])).toMatchObject({ ok: true, value: { text: "Hi" } });
  });

  it.each([
    ["429 with seconds", refuses(429, { "retry-after": "0.01" })],
    ["429 with a date", refuses(429, { "retry-after": new Date(0).toUTCString() })],
    ["429 with nonsense", refuses(429, { "retry-after": "soon" })],
    ["500", refuses(500)],
    ["a connection that breaks", ((response) => response.destroy()) satisfies Scripted],
    [
      "a stream cut in the middle",
      ((response) => {
        begin(response);
        event(response, JSON.stringify(delta("Hel")));
        response.end();
      }) satisfies Scripted,
    ],
    [
      "a tool call cut in the middle",
      streams(
        {
          choices: [
            {
              delta: {
                tool_calls: [{ index: 0, id: "c", function: { name: "rm", arguments: '{"pa' } }],
              },
            },
          ],
        },
        finish("length"),
      ),
    ],
    ["something that is not a completion", streams("hello")],
  ])("retries after %s", async (_name, broken) => {
    const retries: string[] = [];
    const reply = await ask([broken, answer], {
      request: { onRetry: ({ reason }) => retries.push(reason) },
    });
    expect(reply).toMatchObject({ ok: true, value: { text: "Hello", toolCalls: [] } });
    expect(retries).toHaveLength(1);
  });

  it("gives up after its retries, with the last reason", async () => {
    const failed = await ask([refuses(429, { "retry-after": "0" }, "slow down")], {
      maxRetries: 2,
    });
    expect(failed).toMatchObject({ ok: false, error: { outcome: "rate_limited" } });
    expect(JSON.stringify(failed)).toContain("slow down");
    expect(endpoint?.requests).toHaveLength(3);
  });

  it.each([
    ["seconds", "3600", 3_600_000],
    ["a date", "Sun, 06 Nov 2094 08:49:37 GMT", Date.parse("2094-11-06T08:49:37Z") - Date.now()],
  ])("says how long the server asks to be left alone: %s", async (_form, retryAfter, ms) => {
    const failed = await ask([refuses(429, { "retry-after": retryAfter })]);
    expect(failed).toMatchObject({ ok: false, error: { outcome: "rate_limited" } });
    const askedMs = failed?.ok === false ? (failed.error.retryAfterMs ?? 0) : 0;
    expect(Math.abs(askedMs - ms)).toBeLessThan(60_000);
    expect(await ask([refuses(429)], { maxRetries: 0 })).toMatchObject({
      error: expect.not.objectContaining({ retryAfterMs: expect.anything() }),
    });
  });

  it("has its caller wait before a retry, if that wants to", async () => {
    const waits: number[] = [];
    const told: (number | undefined)[] = [];
    const reply = await ask([refuses(429, { "retry-after": "20" }), answer], {
      request: {
        standBack: async (delayMs) => void waits.push(delayMs),
        onRetry: ({ retryAfterMs }) => void told.push(retryAfterMs),
      },
    });
    expect(reply).toMatchObject({ ok: true });
    expect(told).toEqual([20_000]);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(20_000);
  });

  it("does not wait longer than allowed, whatever the server asks", async () => {
    expect(await ask([refuses(429, { "retry-after": "3600" })])).toMatchObject({
      ok: false,
      error: { outcome: "rate_limited" },
    });
    expect(endpoint?.requests).toHaveLength(1);
  });

  it.each([
    ["refuses it", refuses(401, {}, `no such key: secret-key ${"x".repeat(1_988)}secret-key`)],
    ["reports a fault", streams({ error: { message: "bad secret-key" } })],
    ["speaks another protocol", streams("secret-key")],
  ])("hides the key in its failure when a server that %s repeats it", async (_what, script) => {
    const failed = await ask([script], { maxRetries: 0 });
    expect(failed.ok).toBe(false);
    expect(JSON.stringify(failed)).toContain("[key]");
    expect(JSON.stringify(failed)).not.toMatch(/secret/);
  });

  it.each([
    ["auth", refuses(401)],
    ["context_overflow", refuses(400, {}, "This model's maximum context length is 8192 tokens")],
    ["context_overflow", refuses(413)],
    ["crashed", refuses(404)],
  ])("treats a refusal as final: %s", async (outcome, script) => {
    expect(await ask([script])).toMatchObject({ ok: false, error: { outcome } });
    expect(endpoint?.requests).toHaveLength(1);
  });

  it.each([
    ["the model refused: No.", streams({ choices: [{ delta: { refusal: "No." } }] }, finish())],
    ["the provider's content filter", streams(delta("Well,"), finish("content_filter"))],
    ["larger than 8 MiB", streams(delta("x".repeat(9 * 1024 * 1024)), finish())],
  ])("does not retry a reply that is complete but useless: %s", async (reason, script) => {
    expect(await ask([script])).toMatchObject({
      ok: false,
      error: { outcome: "invalid_output", reason: expect.stringContaining(reason) },
    });
    expect(endpoint?.requests).toHaveLength(1);
  });

  it("asks a silent model again once, or not at all", async () => {
    const silent: Scripted = (response) => begin(response);
    expect(await ask([silent, answer], { idleTimeoutMs: 30 })).toMatchObject({ ok: true });
    await endpoint?.close();
    expect(await ask([silent, answer], { idleTimeoutMs: 30, retryTimeouts: false })).toMatchObject({
      ok: false,
      error: { outcome: "timeout" },
    });
  });

  it("ends a silent stream by its idle limit, and a slow drip by its total limit", async () => {
    const silent: Scripted = (response) => begin(response);
    expect(await ask([silent], { idleTimeoutMs: 30, maxRetries: 0 })).toMatchObject({
      ok: false,
      error: { outcome: "timeout", reason: "the model fell silent" },
    });
    await endpoint?.close();
    const drip: Scripted = (response) => {
      begin(response);
      const timer = setInterval(() => event(response, JSON.stringify(delta("."))), 5);
      response.on("close", () => clearInterval(timer));
    };
    expect(
      await ask([drip], { idleTimeoutMs: 1_000, totalTimeoutMs: 60, maxRetries: 0 }),
    ).toMatchObject({
      ok: false,
      error: { outcome: "timeout", reason: "the model took too long" },
    });
  });

  it("ends at once when the step is stopped, during the reply or while it waits to retry", async () => {
    for (const script of [
      ((response) => begin(response)) satisfies Scripted,
      refuses(429, { "retry-after": "30" }),
    ]) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 30);
      expect(await ask([script], { request: { signal: abort.signal } })).toMatchObject({
        ok: false,
        error: { outcome: "cancelled" },
      });
      await endpoint?.close();
    }
  });

  it("never reveals its key in a failure", async () => {
    for (const script of [
      refuses(500),
      refuses(401),
      ((response) => response.destroy()) satisfies Scripted,
    ]) {
      expect(JSON.stringify(await ask([script], { maxRetries: 0 }))).not.toContain("secret-key");
      await endpoint?.close();
    }
  });

  it.each([
    ["an index far out", { index: 4_294_967_290, function: { name: "f", arguments: "{}" } }],
    ["an index beyond any list", { index: 2 ** 52, function: { name: "f", arguments: "{}" } }],
    ["a name without end", { index: 0, function: { name: "n".repeat(100_000) } }],
    ["an id without end", { index: 0, id: "i".repeat(1_000_000), function: { name: "f" } }],
  ])("refuses a tool call with %s, streamed or whole", async (_what, call) => {
    const added = { tool_calls: [call] };
    for (const script of [
      streams({ choices: [{ delta: added }] }, finish("tool_calls")),
      whole({ choices: [{ message: added, finish_reason: "tool_calls" }] }),
    ]) {
      expect(await ask([script])).toMatchObject({
        ok: false,
        error: { outcome: "invalid_output", reason: expect.stringMatching(/tool call|a tool by/) },
      });
      expect(endpoint?.requests).toHaveLength(1);
      await endpoint?.close();
    }
  });

  it.each([
    ["at once", 1],
    ["one by one", 50_000],
  ])("refuses 50,000 tool calls of one reply that come %s", async (_how, messages) => {
    const calls = Array.from({ length: 50_000 }, (_, index) => ({
      index,
      function: { name: "f" },
    }));
    const perMessage = calls.length / messages;
    const chunks = Array.from({ length: messages }, (_, at) => ({
      choices: [{ delta: { tool_calls: calls.slice(at * perMessage, (at + 1) * perMessage) } }],
    }));
    const failed = await ask([streams(...chunks, finish("tool_calls"))], { maxRetries: 0 });
    expect(failed).toMatchObject({ ok: false });
    expect(JSON.stringify(failed)).toMatch(/more than (128 tool calls|50000 values)/);
  });

  it("counts names and ids of calls as part of the reply", async () => {
    const piece = (at: number): unknown => ({
      choices: [{ delta: { tool_calls: [{ index: at, id: `${at}${"i".repeat(60_000)}` }] } }],
    });
    const chunks = Array.from({ length: 120 }, (_, at) => piece(at));
    const text = delta("x".repeat(2 * 1024 * 1024));
    expect(await ask([streams(...chunks, text, finish("tool_calls"))])).toMatchObject({
      ok: false,
      error: { outcome: "invalid_output", reason: expect.stringContaining("larger than 8 MiB") },
    });
  });

  it.each(["[".repeat(3_000_000), `{"choices":[${"{},".repeat(3_000_000)}{}]}`])(
    "does not build what a message of millions of values describes (%#)",
    async (body) => {
      const failed = await ask([whole(body)], { maxRetries: 0 });
      expect(failed).toMatchObject({ ok: false, error: { outcome: "crashed" } });
      expect(JSON.stringify(failed)).toContain("more than 50000 values");
    },
  );

  it("accepts a long text full of commas and brackets as text", async () => {
    const content = `${'\\"[{,'.repeat(100_000)}\\`;
    expect(await ask([streams(delta(content), finish())])).toMatchObject({
      ok: true,
      value: { text: content },
    });
  });

  it("orders calls by their indexes, whatever the first index", async () => {
    const call = (index: number, name: string): unknown => ({
      choices: [{ delta: { tool_calls: [{ index, function: { name, arguments: "{}" } }] } }],
    });
    const reply = await ask([streams(call(7, "b"), call(1, "a"), finish("tool_calls"))]);
    expect(reply.ok && reply.value.toolCalls.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it.each([
    ["none", undefined],
    ["null", null],
    ["zeros", { prompt_tokens: 0, completion_tokens: 0 }],
    ["negative ones", { prompt_tokens: -5, completion_tokens: -7 }],
    ["huge ones", { prompt_tokens: 1e300, completion_tokens: 2 ** 60 }],
    ["halves", { prompt_tokens: 1.5, completion_tokens: 0.5 }],
    ["words", { prompt_tokens: "many", completion_tokens: "NaN" }],
  ])("estimates its counters, and says so, when the server reports %s", async (_what, usage) => {
    const reply = await ask([streams(delta("x".repeat(400)), finish(), { choices: [], usage })]);
    const { usage: counted } = reply.ok ? reply.value : { usage: null };
    expect(counted).toMatchObject({ outputTokens: 100, cachedInputTokens: 0, costUsd: null });
    expect(counted?.estimated).toBe(true);
    expect(counted?.inputTokens).toBeGreaterThan(10);
    expect(counted?.inputTokens).toBeLessThan(100);
  });

  it.each([
    [301, "/v2/chat"],
    [302, "/v2/chat"],
    [307, "/v2/chat"],
    [308, "../v2/chat"],
  ])(
    "follows a redirect (%i) within the server, with everything it sent",
    async (status, location) => {
      const reply = await ask([refuses(status, { location }), answer]);
      expect(reply).toMatchObject({ ok: true, value: { text: "Hello" } });
      const [first, second] = endpoint?.requests ?? [];
      expect(second?.body).toEqual(first?.body);
      expect(second?.headers.authorization).toBe("Bearer secret-key");
    },
  );

  it.each([301, 302, 303, 307, 308])("sends nothing to another origin (%i)", async (status) => {
    const other = await scriptedEndpoint([answer]);
    try {
      const failed = await ask([
        refuses(status, { location: `${other.baseUrl}/chat/completions` }),
      ]);
      expect(failed).toMatchObject({ ok: false, error: { outcome: "crashed" } });
      expect(endpoint?.requests).toHaveLength(1);
      expect(other.requests).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it("does not follow a server in circles that redirects to itself", async () => {
    const failed = await ask([refuses(307, { location: "/v1/chat/completions" })]);
    expect(JSON.stringify(failed)).toContain("in circles");
    expect(endpoint?.requests.length).toBeLessThan(10);
  });

  it("works with a third-party server", async () => {
    const mock = new LLMock({ port: 0, host: "127.0.0.1" });
    mock.onMessage("hi", { content: "Hello from the mock" });
    await mock.start();
    try {
      const llm = createLlmFn({ baseUrl: `${mock.url}/v1`, model: "gpt-4.1", apiKey: null });
      const reply = await llm({
        messages: [{ role: "user", content: "hi" }],
        tools: [],
        signal: new AbortController().signal,
      });
      expect(reply).toMatchObject({ ok: true, value: { text: "Hello from the mock" } });
    } finally {
      await mock.stop();
    }
  });
});
