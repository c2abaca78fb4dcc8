import { type AdapterFn, isThreadId, type StepRun } from "@uncaged/workflow-protocol";
import {
  defineRole,
  defineWorkflow,
  END,
  START,
  SUSPEND,
  workflowAsAgent,
} from "@uncaged/workflow-runtime";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { pastStep, runWorkflow, says, scripted } from "./index.ts";

const planner = defineRole({
  description: "",
  systemPrompt: "",
  schema: z.object({ status: z.string(), phases: z.array(z.string()) }),
  extractRefs: (meta) => meta.phases,
});
const developer = defineRole({
  description: "",
  systemPrompt: "",
  schema: z.object({ returnCode: z.number(), n: z.number().optional() }),
  extractRefs: null,
});

const definition = defineWorkflow({
  description: "Plans, then develops for ever",
  roles: { planner, developer },
  table: {
    [START]: [{ condition: "FALLBACK", role: "planner" }],
    planner: [
      {
        condition: { name: "unclear", when: "last.meta.status = 'unclear'" },
        role: SUSPEND,
        prompt: "What?",
      },
      {
        condition: { name: "planned", when: "last.meta.status = 'planned'" },
        role: "developer",
        prompt: "do {{ last.meta.phases[0] }}",
        location: "app",
      },
    ],
    developer: [
      { condition: { name: "failed", when: "last.meta.returnCode != 0" }, role: END },
      { condition: "FALLBACK", role: "developer" },
    ],
  },
});

const agentRun: StepRun = {
  agent: { name: "scripted", version: "1" },
  session: "s1",
  prompt: null,
  startedAt: 0,
  completedAt: 1,
  usage: null,
  cwd: "/",
  evidence: [],
};

const planned = { status: "planned", phases: ["EYHPV6X8XHTCS"] };

describe("a run in memory", () => {
  it("returns the route, the rules taken, the requests and the steps", async () => {
    const result = await runWorkflow(definition, {
      prompt: "go",
      agents: scripted({ planner: [planned], developer: [{ returnCode: 1 }] }),
    });
    expect(result.route).toEqual(["planner", "developer", END]);
    expect(result.routes[1]).toEqual({
      from: "planner",
      to: "developer",
      condition: "planned",
      rule: 1,
      prompt: "do EYHPV6X8XHTCS",
    });
    expect(result.requests[1]).toMatchObject({ role: "developer", round: 2, location: "app" });
    expect(result.steps).toMatchObject([
      { role: "planner", refs: ["EYHPV6X8XHTCS"], timestamp: 1 },
      { role: "developer", meta: { returnCode: 1 }, timestamp: 2 },
    ]);
    expect(result).toMatchObject({ completion: { returnCode: 0 }, failure: null });
  });

  it("stops at a question", async () => {
    const agents = scripted({ planner: [{ status: "unclear", phases: [] }] });
    const { route, completion } = await runWorkflow(definition, { prompt: "go", agents });
    expect(route).toEqual(["planner", SUSPEND]);
    expect(completion).toMatchObject({ suspend: { role: "planner", message: "What?" } });
  });

  it("continues with a person's answer, in the role that asked", async () => {
    const unclear = { status: "unclear", phases: [] };
    const agents = scripted({
      planner: [says(unclear, { run: agentRun }), unclear, planned],
      developer: [{ returnCode: 1 }],
    });
    const options = { prompt: "go", agents, answers: ["the first", "the second"] };
    const result = await runWorkflow(definition, options);
    expect(result.route).toEqual([
      "planner",
      SUSPEND,
      "planner",
      SUSPEND,
      "planner",
      "developer",
      END,
    ]);
    expect(result.requests.slice(1, 3)).toMatchObject([
      { route: { condition: "ANSWER", prompt: "the first" }, previousSession: "s1" },
      { route: { condition: "ANSWER", prompt: "the second" }, previousSession: null },
    ]);
    expect(result).toMatchObject({ completion: { returnCode: 0 }, failure: null });
  });

  it("stops at a question that nobody answers", async () => {
    const unclear = { status: "unclear", phases: [] };
    const agents = scripted({ planner: [unclear, unclear] });
    const { route, completion } = await runWorkflow(definition, {
      prompt: "go",
      agents,
      answers: ["the first"],
    });
    expect(route).toEqual(["planner", SUSPEND, "planner", SUSPEND]);
    expect(completion).toMatchObject({ suspend: { role: "planner" } });
  });

  it("continues after earlier steps", async () => {
    const { route, steps } = await runWorkflow(definition, {
      prompt: "go",
      steps: [pastStep("planner", planned)],
      agents: scripted({ developer: [{ returnCode: 1 }] }),
    });
    expect(route).toEqual(["developer", END]);
    expect(steps.map(({ role }) => role)).toEqual(["planner", "developer"]);
  });

  it("ends children as the test says, and has no others", async () => {
    const asked: string[] = [];
    const binding = {
      adapter: scripted({ planner: [planned] }),
      overrides: { developer: workflowAsAgent("develop") },
    };
    const children = {
      develop: ({ prompt }: { prompt: string }) => {
        asked.push(prompt);
        return { returnCode: 1 };
      },
    };
    const { steps } = await runWorkflow(definition, { prompt: "go", agents: binding, children });
    expect(asked).toEqual(["do EYHPV6X8XHTCS"]);
    expect(isThreadId(steps[1]?.childThread ?? "")).toBe(true);
    const { failure } = await runWorkflow(definition, { prompt: "go", agents: binding });
    expect(failure?.code).toBe("WORKFLOW_NOT_FOUND");
  });

  it("is cut off when its table goes in circles", async () => {
    const developers = Array.from({ length: 20 }, () => ({ returnCode: 0 }));
    const { failure, steps } = await runWorkflow(definition, {
      prompt: "go",
      agents: scripted({ planner: [planned], developer: developers }),
      maxSteps: 10,
    });
    expect(steps).toHaveLength(10);
    expect(failure?.message).toBe(
      `no end after 10 steps; the last were ${Array(6).fill("developer").join(" → ")}`,
    );
  });

  it("refuses what the engine would refuse", async () => {
    const stray = await runWorkflow(definition, {
      prompt: "go",
      agents: scripted({ planner: [{ status: "x", phases: ["../x"] }] }),
    });
    expect(stray.failure).toMatchObject({
      code: "INVALID_OUTPUT",
      message: expect.stringContaining('artifact "../x" is not a hash'),
    });
    const infinite = defineRole({
      ...developer,
      schema: z.object({ returnCode: z.custom<number>(() => true) }),
    });
    const broken = await runWorkflow(
      { ...definition, roles: { planner, developer: infinite } },
      {
        prompt: "go",
        agents: scripted({ planner: [planned], developer: [{ returnCode: Number.NaN }] }),
      },
    );
    expect(broken.failure?.message).toContain("its meta is not plain JSON");
  });

  it("extracts from content that is JSON, or whose last fenced block is", async () => {
    const texts = [
      '{"returnCode":1}',
      'Done.\n```json\n{"returnCode":2}\n```\n```\n{"returnCode":3}\n```\n',
      "nothing",
    ];
    const extracting: AdapterFn =
      (_prompt, schema) =>
      async (_ctx, { cas, extract }) => {
        const hash = await cas.put(texts.shift() ?? "");
        return { meta: await extract(schema, hash), childThread: null };
      };
    const steps = [pastStep("planner", planned)];
    const outcomes = [];
    for (let run = 0; run < 3; run += 1) {
      const { steps: made, failure } = await runWorkflow(definition, {
        prompt: "go",
        steps,
        agents: extracting,
      });
      outcomes.push(made[1]?.meta.returnCode ?? failure?.code);
    }
    expect(outcomes).toEqual([1, 3, "INVALID_OUTPUT"]);
  });

  it("refuses a broken definition at once", async () => {
    const broken = {
      ...definition,
      table: {
        ...definition.table,
        developer: [{ condition: { name: "x", when: "(" }, role: END }],
      },
    } as const;
    await expect(runWorkflow(broken, { prompt: "go", agents: scripted({}) })).rejects.toThrow(
      "table.developer[0].when",
    );
  });
});

describe("the result of a workflow in a test", () => {
  const returning = (result: string) =>
    runWorkflow(
      defineWorkflow({
        description: "",
        roles: { developer },
        table: {
          [START]: [{ condition: "FALLBACK", role: "developer" }],
          developer: [{ condition: "FALLBACK", role: END }],
        },
        result,
      }),
      {
        prompt: "go",
        agents: scripted({ developer: [{ returnCode: 0, n: 7 }] }),
      },
    );

  it("is the expression's value for the steps", async () => {
    expect(await returning("{ 'n': [byRole.developer.last.meta.n] }")).toMatchObject({
      failure: null,
      result: { n: [7] },
    });
  });

  it("that cannot be evaluated fails the test, with the reason", async () => {
    expect(await returning("$number(last.role)")).toMatchObject({
      completion: null,
      failure: { code: "RESULT_FAILED" },
    });
  });
});
