import type { FixtureResponse } from "@copilotkit/aimock";
import { openMemoryStore } from "@uncaged/workflow-cas";
import { afterEach, expect, it } from "vitest";
import {
  refuses,
  type ScriptedModel,
  says,
  scriptedModel,
} from "../testing/scripted-model.test.helper.ts";
import type { Note } from "./note.ts";
import { summarizer } from "./summarizer.ts";

let model: ScriptedModel | undefined;
afterEach(() => model?.close());

async function summary(
  answers: readonly FixtureResponse[],
  config: Record<string, unknown> = {},
): Promise<{ text: string; notes: Note[]; prompt: string }> {
  model = await scriptedModel(answers, config);
  const notes: Note[] = [];
  const summarize = summarizer({
    cas: openMemoryStore(),
    models: model.models,
    task: "mend the roof",
    signal: new AbortController().signal,
    note: (note) => notes.push(note),
  });
  const text = await summarize([], "coder: done");
  return { text, notes, prompt: String(model.requests[0]?.messages.at(-1)?.content) };
}

it("is the model's, made of the task, the steps and the workflow's own", async () => {
  const { text, notes, prompt } = await summary([says(" The roof is tight again.\n")]);
  expect(text).toBe("The roof is tight again.");
  expect(notes).toEqual([
    { about: "summarizer", message: "summarized the thread", usage: expect.anything() },
  ]);
  expect(prompt).toContain("mend the roof");
  expect(prompt).toContain("coder: done");
});

it.each([
  ["refuses", [refuses("no")], {}, "auth: HTTP 401"],
  ["answers nothing", [says("  ")], {}, "it returned nothing"],
  ["has no key", [], { providers: { mock: { baseUrl: "http://x", apiKey: "$GONE" } } }, "GONE"],
])(
  "is the workflow's own when the model %s, and that is noted",
  async (_what, answers, config, words) => {
    const { text, notes } = await summary(answers, config);
    expect(text).toBe("coder: done");
    expect(notes).toEqual([
      { about: "summarizer", message: expect.stringContaining(words), usage: null },
    ]);
  },
);

it("is the workflow's own when no model is configured, without a word", async () => {
  expect(await summary([], { models: {} })).toMatchObject({ text: "coder: done", notes: [] });
});

it("is cut when it is too long for a summary", async () => {
  const { text } = await summary([says("long ".repeat(10_000))]);
  expect(text.length).toBeLessThan(2_100);
});
