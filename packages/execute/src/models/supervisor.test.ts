import type { FixtureResponse } from "@copilotkit/aimock";
import { encodeContent, encodeState, openMemoryStore } from "@uncaged/workflow-cas";
import { afterEach, describe, expect, it } from "vitest";
import {
  calls,
  KEY,
  refuses,
  type ScriptedModel,
  says,
  scriptedModel,
} from "../testing/scripted-model.test.helper.ts";
import type { Note } from "./note.ts";
import { supervisor } from "./supervisor.ts";

let model: ScriptedModel | undefined;
afterEach(() => model?.close());

const START = "EYHPV6X8XHTCS";

/** This many steps of a thread, each with some text. */
async function stepsIn(
  cas: ReturnType<typeof openMemoryStore>,
  count: number,
  said = "worked on it",
): Promise<string[]> {
  const hashes: string[] = [];
  for (let round = 1; round <= count; round++) {
    const content = encodeContent(`${said} ${round}`, []);
    const state = encodeState(
      {
        role: "coder",
        meta: { round },
        start: START,
        content: content.hash,
        ancestors: [],
        compact: null,
        timestamp: 1_716_000_000_000 + round,
        childThread: null,
        digests: {},
        route: null,
      },
      [content.hash, START],
    );
    await cas.putBatch([content, state]);
    hashes.push(state.hash);
  }
  return hashes;
}

async function look(
  steps: number,
  answers: readonly FixtureResponse[],
  config: Record<string, unknown> = {},
  ends = false,
): Promise<{ objection: string | null; notes: Note[]; asked: number; prompt: string }> {
  model = await scriptedModel(answers, { supervisorInterval: 3, ...config });
  const cas = openMemoryStore();
  const notes: Note[] = [];
  const supervise = supervisor({
    cas,
    models: model.models,
    task: "mend the roof",
    signal: new AbortController().signal,
    note: (note) => notes.push(note),
  });
  const objection = await supervise(await stepsIn(cas, steps), async () => ends);
  const prompt = String(model.requests[0]?.messages.at(-1)?.content);
  return { objection, notes, asked: model.requests.length, prompt };
}

const goesOn = calls("decide", { decision: "continue", reason: "it gets on" });
const kills = calls("decide", { decision: "kill", reason: "the same edit three times" });

describe("the supervisor", () => {
  it("reads the task and the latest steps, and lets the thread continue", async () => {
    const { objection, notes, prompt } = await look(12, [goesOn]);
    expect(objection).toBeNull();
    expect(notes).toEqual([
      { about: "supervisor", message: "continue: it gets on", usage: expect.anything() },
    ]);
    expect(prompt).toContain("mend the roof");
    expect(prompt).toContain("12 steps were made");
    expect(prompt).toContain('Step 12, role coder, 2024-05-18T02:40:00.012Z\nresult: {"round":12}');
    expect(prompt).toContain("said: worked on it 12");
    expect(prompt).toContain("Step 3,");
    expect(prompt).not.toContain("Step 2,");
  });

  it("returns the reason for which the thread has to end", async () => {
    const { objection, notes } = await look(3, [kills]);
    expect(objection).toBe("the same edit three times");
    expect(notes[0]?.message).toBe("kill: the same edit three times");
  });

  it.each([0, 1, 2, 4, 5])(
    "does not look after %i steps when every third is due",
    async (steps) => {
      expect(await look(steps, [kills])).toMatchObject({ objection: null, asked: 0, notes: [] });
    },
  );

  it("does not review a thread that has only its end left", async () => {
    const seen = await look(3, [kills], {}, true);
    expect(seen).toMatchObject({ objection: null, asked: 0, notes: [] });
  });

  it.each([
    ["the interval is 0", { supervisorInterval: 0 }],
    ["no model is configured", { models: {} }],
  ])("is off when %s", async (_what, config) => {
    expect(await look(3, [kills], config)).toMatchObject({ objection: null, asked: 0, notes: [] });
  });

  it.each([
    ["refuses", [refuses(`no ${KEY}`)], {}, "auth: HTTP 401"],
    ["answers nonsense", [says("Kill it, I say.")], {}, "no answer that fits in 3 rounds"],
    ["has no key", [], { providers: { mock: { baseUrl: "http://x", apiKey: "$GONE" } } }, "GONE"],
    [
      "is not there",
      [],
      { providers: { mock: { baseUrl: "http://127.0.0.1:1/v1" } } },
      "crashed: fetch failed",
    ],
  ])(
    "kills nothing when its model %s, and says so without its key",
    async (_what, answers, config, words) => {
      const { objection, notes } = await look(3, answers, config);
      expect(objection).toBeNull();
      expect(notes).toEqual([
        {
          about: "supervisor",
          message: expect.stringContaining(`could not be asked: `),
          usage: null,
        },
      ]);
      expect(notes[0]?.message).toContain(words);
      expect(JSON.stringify(notes)).not.toContain(KEY);
    },
  );

  it("is shown no more of a long thread than fits", async () => {
    model = await scriptedModel([goesOn], { supervisorInterval: 100 });
    const cas = openMemoryStore();
    const supervise = supervisor({
      cas,
      models: model.models,
      task: "t".repeat(1_000_000),
      signal: new AbortController().signal,
      note: () => undefined,
    });
    await supervise(await stepsIn(cas, 100, "s".repeat(100_000)), async () => false);
    const prompt = String(model.requests[0]?.messages.at(-1)?.content);
    expect(prompt.length).toBeLessThan(50_000);
    expect(prompt).toContain("Step 71,");
    expect(prompt).not.toContain("Step 70,");
  });
});
