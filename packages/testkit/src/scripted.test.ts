import { defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { after, answers, fails, runWorkflow, says, scripted } from "./index.ts";

const coder = defineRole({
  description: "",
  systemPrompt: "",
  schema: z.object({ done: z.boolean() }),
  extractRefs: null,
});

const definition = defineWorkflow({
  description: "Codes until done",
  roles: { coder },
  table: {
    [START]: [{ condition: "FALLBACK", role: "coder" }],
    coder: [
      { condition: { name: "done", when: "last.meta.done" }, role: END },
      { condition: "FALLBACK", role: "coder", prompt: "again after {{ byRole.coder.count }}" },
    ],
  },
});

type Metas = { coder: { done: boolean } };

describe("a scripted agent", () => {
  it("returns its turns one after the other", async () => {
    const agents = scripted<Metas>({ coder: [{ done: false }, { done: false }, { done: true }] });
    const { steps } = await runWorkflow(definition, { prompt: "go", agents });
    expect(steps.map(({ meta }) => meta.done)).toEqual([false, false, true]);
  });

  it("starts its script again in every thread", async () => {
    const agents = scripted<Metas>({ coder: [{ done: false }, { done: true }] });
    const runs = await Promise.all(
      [1, 2].map(() => runWorkflow(definition, { prompt: "go", agents })),
    );
    expect(runs.map(({ route }) => route)).toEqual([
      ["coder", "coder", END],
      ["coder", "coder", END],
    ]);
  });

  it("says a text, names a child thread, reports a run", async () => {
    const childThread = "01KAJ2Z6PVX0000000000000ZZ";
    const agents = scripted({
      coder: [says({ done: true }, { content: "I did it.", childThread })],
    });
    const { steps, cas } = await runWorkflow(definition, { prompt: "go", agents });
    expect(steps[0]).toMatchObject({ childThread });
    expect(await cas.get(steps[0]?.contentHash ?? "")).toBe(
      'type: "content"\npayload: "I did it."\nrefs: []\n',
    );
  });

  it("computes its answer from what the role sees", async () => {
    const agents = scripted({
      coder: [
        { done: false },
        answers(({ steps }, { step }) => ({
          done: steps.length === 1 && step.route?.prompt === "again after 1",
        })),
      ],
    });
    expect((await runWorkflow(definition, { prompt: "go", agents })).route).toEqual([
      "coder",
      "coder",
      END,
    ]);
  });

  it("fails when told to, and the earlier steps are kept", async () => {
    const agents = scripted({ coder: [{ done: false }, fails("no more tokens", "AGENT_TIMEOUT")] });
    const result = await runWorkflow(definition, { prompt: "go", agents });
    expect(result).toMatchObject({
      route: ["coder", "coder"],
      completion: null,
      failure: { code: "AGENT_TIMEOUT", message: "no more tokens" },
    });
    expect(result.steps).toHaveLength(1);
  });

  it("waits when told to, until an abort", async () => {
    const agents = scripted({
      coder: [after(1, { done: false }), after(3_600_000, { done: true })],
    });
    const controller = new AbortController();
    const running = runWorkflow(definition, { prompt: "go", agents, signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    const result = await running;
    expect(result.steps).toHaveLength(1);
    expect(result.failure?.message).toContain("aborted");
  });

  it("says which role ran out of turns, and when", async () => {
    const once = await runWorkflow(definition, {
      prompt: "go",
      agents: scripted({ coder: [{ done: false }] }),
    });
    expect(once.failure?.message).toBe(
      "role coder has 1 scripted turn and was asked for another in round 2",
    );
    const never = await runWorkflow(definition, { prompt: "go", agents: scripted({}) });
    expect(never.failure?.message).toBe(
      "role coder has no scripted turn and was asked for another in round 1",
    );
  });

  it("that ran out is an error of the test, which no rule for failures hides and no retry repeats", async () => {
    const forgiving = defineWorkflow({
      ...definition,
      roles: { coder: { ...coder, retry: { attempts: 3 } } },
      table: {
        [START]: [{ condition: "FALLBACK", role: "coder" }],
        coder: [
          {
            condition: { name: "broke", when: "true" },
            role: END,
            outcomes: ["crashed", "denied"],
          },
          { condition: "FALLBACK", role: "coder" },
        ],
      },
    });
    const agents = scripted({ coder: [{ done: false }] });
    const result = await runWorkflow(forgiving, { prompt: "go", agents });
    expect(result).toMatchObject({ completion: null, failure: { code: "USAGE" } });
    expect(result.failure?.message).toContain("was asked for another in round 2");
    const crashing = scripted({ coder: [fails("gone", "AGENT_DENIED")] });
    const crashed = await runWorkflow(forgiving, { prompt: "go", agents: crashing });
    expect(crashed.routes.at(-1)?.condition).toBe("broke");
  });

  it("says where a turn does not match the role's schema", async () => {
    const agents = scripted({ coder: [{ done: "yes" }] });
    const { failure } = await runWorkflow(definition, { prompt: "go", agents });
    expect(failure).toMatchObject({
      code: "INVALID_OUTPUT",
      message: expect.stringContaining(
        "role coder, round 1: the scripted meta does not fit the role's schema: meta.done: ",
      ),
    });
  });

  it("is checked by the compiler when told the metas", () => {
    // @ts-expect-error done is a boolean
    scripted<Metas>({ coder: [{ done: "yes" }] });
    // @ts-expect-error there is no such role
    scripted<Metas>({ codr: [] });
  });
});
