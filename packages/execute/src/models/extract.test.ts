import type { FixtureResponse } from "@copilotkit/aimock";
import { openMemoryStore } from "@uncaged/workflow-cas";
import type { AgentEvent, Usage } from "@uncaged/workflow-protocol";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  calls,
  KEY,
  refuses,
  type ScriptedModel,
  says,
  scriptedModel,
} from "../testing/scripted-model.test.helper.ts";
import { extractor } from "./extract.ts";

const schema = z.object({ approved: z.boolean(), issues: z.array(z.string()).default([]) });

const KEYLESS = { mock: { baseUrl: "http://127.0.0.1:1/v1", apiKey: "$GONE" } };

let model: ScriptedModel | undefined;
afterEach(() => model?.close());

type Extraction = {
  text: string;
  answers?: readonly FixtureResponse[];
  config?: Record<string, unknown>;
  signal?: AbortSignal;
};

/** The result of an extraction, with models that answer like this. */
async function extraction(about: Extraction): Promise<{
  value: Promise<z.infer<typeof schema>>;
  events: AgentEvent[];
  hash: string;
  takeCost: () => Usage | null;
}> {
  const { text, answers = [], config, signal = new AbortController().signal } = about;
  model = await scriptedModel(answers, config);
  const events: AgentEvent[] = [];
  const cas = openMemoryStore();
  const hash = await cas.put(text);
  const { forStep, takeCost } = extractor({ cas, models: model.models, signal });
  const value = forStep((event) => events.push(event))(schema, hash);
  // Left for the caller to check, perhaps later.
  value.catch(() => undefined);
  return { value, events, hash, takeCost };
}

describe("extract", () => {
  it.each([
    ["a fenced block", 'Fine.\n```json\n{ "approved": true }\n```'],
    ["front matter", "---\napproved: true\n---\nFine."],
    ["plain JSON", '{ "approved": true }'],
  ])("takes %s that fits, and asks no model", async (_what, text) => {
    const { value } = await extraction({ text });
    expect(await value).toEqual({ approved: true, issues: [] });
    expect(model?.requests).toEqual([]);
  });

  it("asks the model for what prose says, and tells what it costs", async () => {
    const { value, events, hash } = await extraction({
      text: "I looked at it all and I approve.",
      answers: [calls("give_result", { approved: true })],
    });
    expect(await value).toEqual({ approved: true, issues: [] });
    expect(events).toEqual([{ type: "usage", usage: expect.objectContaining({ costUsd: null }) }]);
    const [asked] = model?.requests ?? [];
    expect(JSON.stringify(asked?.messages)).toContain("I looked at it all");
    expect(JSON.stringify(asked?.messages)).toContain(hash);
    expect(asked?.tools?.map((tool) => tool.function.name)).toEqual(["cas_get", "give_result"]);
    // Fields with a default may be left out.
    expect(asked?.tools?.[1]?.function.parameters).toMatchObject({ required: ["approved"] });
  });

  it("lets the model read blobs, page by page, and tells it which are missing", async () => {
    const cas = openMemoryStore();
    const note = await cas.put(`${"x".repeat(30_000)}the tail`);
    const hash = await cas.put(`My verdict is in blob ${note}.`);
    const none = "0000000000000";
    model = await scriptedModel([
      calls("cas_get", { hash: none }),
      calls("cas_get", { hash: "../../etc/passwd" }),
      calls("cas_get", { hash: note }),
      calls("cas_get", { hash: note, offset: 30_000 }),
      calls("give_result", { approved: false }),
    ]);
    const signal = new AbortController().signal;
    const extract = extractor({ cas, models: model.models, signal }).forStep(() => undefined);
    expect(await extract(schema, hash)).toEqual({ approved: false, issues: [] });
    const told = model.requests.slice(1).map(({ messages }) => String(messages.at(-1)?.content));
    expect(told[0]).toBe(`Error: the store has no blob ${none}`);
    expect(told[1]).toContain("not a hash");
    expect(told[2]).toMatch(/^x{30000}\n\[8 more; go on at offset 30000\]$/);
    expect(told[3]).toBe("the tail");
  });

  it("shows the model the ends of a text that is too long, and how to read the rest", async () => {
    const text = `begin ${"-".repeat(5_000_000)} end`;
    const { value, hash } = await extraction({
      text,
      answers: [calls("give_result", { approved: true })],
    });
    await value;
    const shown = String(model?.requests[0]?.messages.at(-1)?.content);
    expect(shown.length).toBeLessThan(61_000);
    expect(shown).toMatch(/begin -+\n\[… 4940010 characters left out …\]\n-+ end/);
    expect(shown).toContain(`cas_get reads all of ${hash}`);
  });

  it("is over after a number of rounds, with the loop's reason and the cost of each", async () => {
    const { value, events, takeCost } = await extraction({
      text: "prose",
      answers: [says("I cannot.")],
    });
    await expect(value).rejects.toMatchObject({
      failure: {
        code: "INVALID_OUTPUT",
        message: expect.stringContaining("no result that fits after 8 rounds"),
      },
    });
    expect(events).toHaveLength(8);
    const tokens = events.flatMap((event) =>
      event.type === "usage" ? event.usage.inputTokens : [],
    );
    const inputTokens = tokens.reduce((sum, count) => sum + count, 0);
    expect(inputTokens).toBeGreaterThan(0);
    expect(takeCost()).toMatchObject({ inputTokens });
    expect(takeCost()).toBeNull();
  });

  it("fails with the model's own reason, and without its key", async () => {
    const { value } = await extraction({ text: "prose", answers: [refuses(`bad key ${KEY}`)] });
    const failed = await value.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(failed).toMatchObject({
      failure: { code: "INVALID_OUTPUT", message: expect.stringContaining("HTTP 401") },
    });
    expect(JSON.stringify(failed)).not.toContain(KEY);
  });

  it("shows that it waits for a model that has too much to do", async () => {
    const { value, events } = await extraction({
      text: "prose",
      answers: [
        { error: { message: "slow down" }, status: 429, retryAfter: 0 },
        calls("give_result", { approved: true }),
      ],
    });
    await value;
    expect(events.map(({ type }) => type)).toEqual(["retry", "usage"]);
  });

  it.each([
    [
      "names the variable of a key that is not set",
      { providers: KEYLESS },
      "CONFIG_INVALID",
      "GONE",
    ],
    ["says when no model is configured", { models: {} }, "INVALID_OUTPUT", "holds no JSON"],
  ])("%s", async (_what, config, code, words) => {
    const { value } = await extraction({ text: "prose", config });
    await expect(value).rejects.toMatchObject({
      failure: { code, message: expect.stringContaining(words) },
    });
  });

  it("ends when the step is stopped", async () => {
    const abort = new AbortController();
    const { value } = await extraction({
      text: "prose",
      answers: [{ error: { message: "slow down" }, status: 429, retryAfter: 30 }],
      signal: abort.signal,
    });
    setTimeout(() => abort.abort(), 50);
    await expect(value).rejects.toMatchObject({ failure: { code: "THREAD_ABORTED" } });
  });
});
