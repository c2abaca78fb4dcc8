import { defineRole, defineWorkflow, END, START, SUSPEND } from "@uncaged/workflow-runtime";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { expectRoute, recorded, recordedAnswers, recordedRoute, runWorkflow } from "./index.ts";

const coder = defineRole({
  description: "",
  systemPrompt: "",
  schema: z.object({ n: z.number() }),
  extractRefs: null,
});

const definition = defineWorkflow({
  description: "Counts to two",
  roles: { coder },
  table: {
    [START]: [{ condition: "FALLBACK", role: "coder" }],
    coder: [
      { condition: { name: "enough", when: "last.meta.n >= 2" }, role: END },
      { condition: "FALLBACK", role: "coder" },
    ],
  },
});

/** The keys of `thread show --json` that matter here, and some that do not. */
const shown = {
  threadId: "01KAJ2Z6PVX0000000000000ZZ",
  status: "completed",
  steps: [
    {
      round: 1,
      role: "coder",
      meta: { n: 1 },
      content: "one",
      stateHash: "EYHPV6X8XHTCS",
      childThread: null,
    },
    {
      round: 2,
      role: "coder",
      meta: { n: 2 },
      content: "two",
      stateHash: "D4KP4Y6MRRVJV",
      childThread: "01KAJ2Z6PVX0000000000000AA",
    },
  ],
};

describe("a recorded agent", () => {
  it("replays what was said", async () => {
    const result = await runWorkflow(definition, { prompt: "go", agents: recorded(shown) });
    expectRoute(result, ["coder", "coder", END]);
    expect(await result.cas.get(result.steps[1]?.contentHash ?? "")).toContain('payload: "two"');
    expect(result.steps[1]?.childThread).toBe("01KAJ2Z6PVX0000000000000AA");
  });

  it("fails where a role failed, and the rule for that is taken", async () => {
    const patient = defineWorkflow({
      description: "Counts to two, and asks again when the coder is late",
      roles: { coder },
      table: {
        [START]: [{ condition: "FALLBACK", role: "coder" }],
        coder: [
          { condition: { name: "late", when: "true" }, role: "coder", outcomes: ["timeout"] },
          { condition: "FALLBACK", role: END },
        ],
      },
    });
    const [first, second] = shown.steps;
    const late = { ...first, outcome: "timeout", meta: { outcome: "timeout", reason: "too slow" } };
    const agents = recorded({ ...shown, steps: [late, second] });
    const result = await runWorkflow(patient, { prompt: "go", agents });
    expectRoute(result, ["coder", "coder", END]);
    expect(result.routes[1]?.condition).toBe("late");
    expect(result.steps[0]).toMatchObject({ outcome: "timeout", meta: { reason: "too slow" } });
  });

  it("returns the route that the thread took", () => {
    expect(recordedRoute({ ...shown, result: { returnCode: 0 } })).toEqual(["coder", "coder", END]);
    expect(recordedRoute({ ...shown, result: { returnCode: 1 } })).toEqual(["coder", "coder"]);
    const suspended = { role: "coder", message: "?" };
    expect(recordedRoute({ ...shown, result: null, suspended })).toEqual([
      "coder",
      "coder",
      SUSPEND,
    ]);
  });

  it("continues where a person answered, with the same answer", async () => {
    const asking = defineWorkflow({
      description: "Asks",
      roles: { coder },
      table: {
        [START]: [{ condition: "FALLBACK", role: "coder" }],
        coder: [
          { condition: { name: "asks", when: "last.meta.n = 1" }, role: SUSPEND, prompt: "Why?" },
          { condition: "FALLBACK", role: END },
        ],
      },
    });
    const [first, second] = shown.steps;
    const route = {
      from: "coder",
      to: "coder",
      condition: "ANSWER",
      rule: null,
      prompt: "because",
    };
    const thread = { ...shown, steps: [first, { ...second, route }], result: { returnCode: 0 } };
    expect(recordedAnswers(thread)).toEqual(["because"]);
    const result = await runWorkflow(asking, {
      prompt: "go",
      agents: recorded(thread),
      answers: recordedAnswers(thread),
    });
    expectRoute(result, recordedRoute(thread));
    expect(result.route).toEqual(["coder", SUSPEND, "coder", END]);
  });

  it.each([
    [null, "it has no list `steps`"],
    [{ steps: {} }, "it has no list `steps`"],
    [{ steps: [1] }, "steps[0] is not an object"],
    [{ steps: [{ role: 1 }] }, "steps[0].role is not text"],
    [{ steps: [{ role: "a", meta: [] }] }, "steps[0].meta is not an object"],
    [{ steps: [{ role: "a", meta: {} }] }, "steps[0].content is not text"],
    [
      { steps: [{ role: "a", meta: {}, content: "", childThread: 1 }] },
      "steps[0].childThread is neither",
    ],
    [
      { steps: [{ role: "a", meta: {}, content: "", outcome: "?" }] },
      "steps[0].outcome is unknown",
    ],
  ])("is not created from anything else: %j", (document, why) => {
    expect(() => recorded(document)).toThrow(why);
  });
});
