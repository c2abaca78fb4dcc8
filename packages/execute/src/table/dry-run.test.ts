import { END, START, SUSPEND, type WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { edge } from "../testing/edge.test.helper.ts";
import { type DryRun, dryRun } from "./dry-run.ts";
import { parseStubs } from "./parse-stubs.ts";

const schema = {
  type: "object",
  properties: { left: { type: "integer", minimum: 0 } },
  required: ["left"],
  additionalProperties: false,
};
const DESCRIPTOR: WorkflowDescriptor = {
  description: "",
  roles: {
    coder: { description: "", systemPrompt: "", schema },
    tester: { description: "", systemPrompt: "", schema: {} },
    approver: { description: "", systemPrompt: "", schema: {}, person: {} },
  },
  graph: {
    edges: [
      edge(START, "coder", { prompt: "begin {{ start.content }}" }),
      edge("coder", SUSPEND, { condition: "lost", when: "last.meta.left = 9", prompt: "Where?" }),
      edge("coder", "coder", { condition: "more", when: "last.meta.left > 0" }),
      edge("coder", "tester"),
      edge("tester", "coder", { condition: "late", when: null, outcomes: ["timeout"] }),
      edge("tester", "approver", { condition: "odd", when: "last.meta.odd", prompt: "Really?" }),
      edge("approver", END),
      edge("tester", END, { condition: "passed", when: "last.meta.ok" }),
    ],
  },
};

async function traced(stubs: string, maxSteps = 20): Promise<DryRun> {
  const parsed = await parseStubs(stubs, "stubs.yaml");
  if (!parsed.ok) throw new Error(parsed.error.message);
  return dryRun(DESCRIPTOR, { stubs: parsed.value, prompt: "it", maxSteps });
}

const ways = ({ route }: DryRun): string[] => route.map(({ to }) => to);

describe("a dry run", () => {
  it("asks a person, or takes the person's answer from the stubs", async () => {
    const odd = "coder: [{ left: 0 }]\ntester: [{ odd: true }]";
    expect(await traced(odd)).toMatchObject({
      end: { kind: "suspended", role: "approver", message: "Really?" },
    });
    const answered = await traced(`${odd}\napprover: [{ yes: true }]`);
    expect(ways(answered)).toEqual(["coder", "tester", "approver", END]);
  });

  it("tells which rule led where, and how it would end", async () => {
    const run = await traced("coder: [{ left: 1 }, { left: 0 }]\ntester: [{ ok: true }]");
    expect(run.route).toEqual([
      {
        ...{ round: 1, from: START, to: "coder", rule: 0, condition: "FALLBACK" },
        ...{ prompt: "begin it", stub: { place: "coder[0]", meta: { left: 1 } } },
      },
      {
        ...{ round: 2, from: "coder", to: "coder", rule: 1, condition: "more", prompt: null },
        stub: { place: "coder[1]", meta: { left: 0 } },
      },
      {
        ...{ round: 3, from: "coder", to: "tester", rule: 2, condition: "FALLBACK", prompt: null },
        stub: { place: "tester[0]", meta: { ok: true } },
      },
      {
        ...{ round: null, from: "tester", to: END, rule: 2, condition: "passed", prompt: null },
        stub: null,
      },
    ]);
    expect(run).toMatchObject({ end: { kind: "ended", role: "tester" }, faults: [], unused: [] });
  });

  it("stops at a question", async () => {
    const { end } = await traced("coder: [{ left: 9 }]");
    expect(end).toEqual({ kind: "suspended", role: "coder", message: "Where?" });
  });

  it("tries the rules of a role again each time, without a list", async () => {
    const run = await traced(`
coder:
  rules:
    - { when: "byRole.coder.count > 1", meta: { left: 0 } }
    - { meta: { left: 1 } }
tester: [{ ok: true }, { ok: false }]`);
    expect(ways(run)).toEqual(["coder", "coder", "coder", "tester", END]);
    expect(run.unused).toEqual(["tester[1]"]);
  });

  it("takes the rule for a role that fails, and ends where there is none", async () => {
    const run = await traced(`
coder: [{ left: 0 }, { left: 0 }]
tester:
  rules:
    - { when: "byRole.tester.count = 1", $fails: crashed }
    - { $fails: timeout }`);
    expect(ways(run)).toEqual(["coder", "tester", "coder", "tester"]);
    expect(run.route[1]?.stub).toEqual({ place: "tester.rules[1]", outcome: "timeout" });
    expect(run.end).toMatchObject({ kind: "failed", role: "tester" });
    expect(run.end.message).toContain("crashed");
  });

  it("says which role ran out of stubs", async () => {
    const run = await traced("coder: [{ left: 1 }]");
    expect(ways(run)).toEqual(["coder", "coder"]);
    expect(run.end).toEqual({
      kind: "out_of_stubs",
      role: "coder",
      message: "coder is next again after once, but no stub is left for it",
    });
  });

  it("names every stub that does not fit, and stops at the first that it comes to", async () => {
    const run = await traced(`
coder: [{ left: -1 }, { left: 0, more: 1 }, {}]
reviewer: [{}]`);
    expect(run.faults.map(({ place }) => place)).toEqual([
      "reviewer",
      "coder[0].left",
      "coder[1]",
      "coder[2].left",
    ]);
    expect(run.end).toMatchObject({ kind: "stub_invalid", role: "coder" });
  });

  it("ends a loop", async () => {
    const run = await traced("coder: { rules: [{ meta: { left: 1 } }] }", 5);
    expect(run.route).toHaveLength(5);
    expect(run.end).toEqual({ kind: "max_steps", role: "coder", message: "no end after 5 steps" });
  });
});

describe("stubs", () => {
  it.each([
    ["- 1", "expected record"],
    ["coder: 1", "coder"],
    ["coder: [1]", "coder[0]"],
    ["coder: { rules: [{ when: 'x' }] }", "rules[0]"],
    ["coder: { rules: [{ when: '((', meta: {} }] }", "coder.rules[0].when: "],
    ["coder: [{ $fails: tired }]", "coder[0]"],
    ["coder: { rules: [{ meta: {}, $fails: crashed }] }", "rules[0]"],
    ["coder: [", "stubs.yaml: "],
  ])("that say something else are refused: %s", async (text, message) => {
    const parsed = await parseStubs(text, "stubs.yaml");
    expect(parsed).toMatchObject({ ok: false, error: { code: "USAGE" } });
    if (!parsed.ok) expect(parsed.error.message).toContain(message);
  });
});
