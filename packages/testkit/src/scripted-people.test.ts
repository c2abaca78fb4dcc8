import { definePerson, defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type RunOptions, runWorkflow, scripted } from "./index.ts";

const definition = defineWorkflow({
  description: "A person approves",
  roles: {
    coder: defineRole({
      description: "",
      systemPrompt: "",
      schema: z.object({ n: z.number() }),
      extractRefs: null,
    }),
    approver: definePerson({ description: "", schema: z.object({ approved: z.boolean() }) }),
    deputy: definePerson({ description: "", schema: z.object({ approved: z.boolean() }) }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "coder" }],
    coder: [{ condition: "FALLBACK", role: "approver", prompt: "Is {{ last.meta.n }} good?" }],
    approver: [
      { condition: "FALLBACK", outcomes: ["timeout"], role: "deputy" },
      { condition: { name: "approved", when: "last.meta.approved" }, role: END },
      { condition: "FALLBACK", role: "coder" },
    ],
    deputy: [{ condition: "FALLBACK", role: END }],
  },
});

const played = (people: NonNullable<RunOptions<Metas>["people"]>): ReturnType<typeof runWorkflow> =>
  runWorkflow(definition, {
    prompt: "go",
    agents: scripted({ coder: [{ n: 1 }, { n: 2 }] }),
    people,
  });
type Metas = {
  coder: { n: number };
  approver: { approved: boolean };
  deputy: { approved: boolean };
};

describe("people of a run", () => {
  it("answer in order, and the table continues from their answers", async () => {
    const { route, routes, steps, completion } = await played({
      approver: [{ approved: false }, { approved: true }],
    });
    expect(route).toEqual(["coder", "approver", "coder", "approver", END]);
    expect(routes[1]?.prompt).toBe("Is 1 good?");
    expect(steps[1]).toMatchObject({ role: "approver", meta: { approved: false } });
    expect(completion).toMatchObject({ returnCode: 0 });
  });

  it("without an answer end the run, which waits for them", async () => {
    const { route, completion } = await played({});
    expect(route).toEqual(["coder", "approver"]);
    expect(completion).toMatchObject({ suspend: { kind: "person", role: "approver" } });
  });

  it("that are late are routed by the rule for that, or fail the run", async () => {
    const { route, steps } = await played({ approver: ["timeout"], deputy: [{ approved: true }] });
    expect(route).toEqual(["coder", "approver", "deputy", END]);
    expect(steps[1]).toMatchObject({ outcome: "timeout", meta: { outcome: "timeout" } });
    const { failure } = await played({ approver: ["timeout"], deputy: ["timeout"] });
    expect(failure).toMatchObject({ code: "AGENT_TIMEOUT" });
  });

  it("may not answer what does not fit the form", async () => {
    const misfit: unknown = { approved: "yes" };
    const people = { approver: [misfit] } as unknown as { approver: { approved: boolean }[] };
    expect((await played(people)).failure).toMatchObject({
      code: "INVALID_OUTPUT",
      message: expect.stringContaining("role approver, round 2: the answer does not fit"),
    });
  });
});

describe("people in a group", () => {
  const grouped = defineWorkflow({
    ...definition,
    table: {
      [START]: [
        {
          condition: "FALLBACK",
          group: {
            name: "both",
            members: [{ role: "approver", prompt: "Good?" }, { role: "coder" }, { role: "deputy" }],
          },
        },
      ],
      both: [{ condition: "FALLBACK", role: END }],
      coder: [],
      approver: [],
      deputy: [],
    },
  });
  const playedIn = (people: NonNullable<RunOptions<Metas>["people"]>) =>
    runWorkflow(grouped, { prompt: "go", agents: scripted({ coder: [{ n: 1 }] }), people });

  it("answer once only they are left, and may be late", async () => {
    const { steps, completion } = await playedIn({
      approver: ["timeout"],
      deputy: [{ approved: true }],
    });
    expect(steps.map(({ role, group, outcome }) => [role, group?.index, outcome])).toEqual([
      ["coder", 1, undefined],
      ["approver", 0, "timeout"],
      ["deputy", 2, undefined],
    ]);
    expect(completion).toMatchObject({ returnCode: 0 });
  });

  it("without an answer end the run, which waits for them", async () => {
    const { steps, completion } = await playedIn({});
    expect(steps.map(({ role }) => role)).toEqual(["coder"]);
    expect(completion).toMatchObject({
      suspend: { kind: "person", role: "approver", message: "Good?" },
    });
  });

  it("are bound to no agent", () => {
    const members = [{ role: "approver", agent: "claude" }] as const;
    const group = { name: "both", members };
    const table = { ...grouped.table, [START]: [{ condition: "FALLBACK" as const, group }] };
    const created = runWorkflow({ ...grouped, table }, { prompt: "go", agents: scripted({}) });
    return expect(created).rejects.toThrow(
      'table.__start__[0].group.members[0].agent: a person plays "approver"',
    );
  });
});
