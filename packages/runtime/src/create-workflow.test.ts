import {
  type AdapterFn,
  type EngineRuntime,
  type RoleOutput,
  type RoleResult,
  type RoleStep,
  START,
  type StepRequest,
  type StepRun,
  type ThreadContext,
  type WorkflowCompletion,
  type WorkflowFn,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createWorkflow, defineRole, defineWorkflow, END, SUSPEND } from "./index.ts";
import { oneOutput } from "./one-output.test.helper.ts";

const planner = defineRole({
  description: "Plans",
  systemPrompt: "You plan.",
  schema: z.object({ status: z.enum(["planned", "aborted"]), phases: z.array(z.string()) }),
  extractRefs: (meta) => meta.phases,
});
const coder = defineRole({
  description: "Codes",
  systemPrompt: "You code.",
  schema: z.object({ done: z.boolean(), where: z.string().nullable() }),
  extractRefs: null,
});

const definition = defineWorkflow({
  description: "Plans and codes",
  roles: { planner, coder },
  table: {
    [START]: [{ condition: "FALLBACK", role: "planner" }],
    planner: [
      { condition: { name: "aborted", when: "last.meta.status = 'aborted'" }, role: END },
      {
        condition: { name: "unclear", when: "$count(last.meta.phases) = 0" },
        role: SUSPEND,
        prompt: "What about {{ start.content }}?",
      },
      {
        condition: "FALLBACK",
        role: "coder",
        prompt: "Do {{ last.meta.phases[0] }}",
        location: "{{ last.meta.where }}",
      },
    ],
    coder: [
      {
        condition: { name: "done", when: "last.meta.done" },
        role: END,
        prompt: "all {{ byRole.coder.count }}",
      },
      {
        condition: { name: "again", when: "byRole.coder.count < 3" },
        role: "coder",
        prompt: "again",
        location: "{{ last.meta.where }}",
      },
    ],
  },
});

type Answer = Partial<RoleResult<unknown>>;

/** Returns one answer after the other, whatever the role, and records what it was called with. */
function agent(...answers: Answer[]): {
  adapter: AdapterFn;
  calls: { prompt: string; ctx: ThreadContext; runtime: WorkflowRuntime }[];
} {
  const calls: { prompt: string; ctx: ThreadContext; runtime: WorkflowRuntime }[] = [];
  const adapter: AdapterFn = (prompt, schema) => async (ctx, runtime) => {
    calls.push({ prompt, ctx: { ...ctx, steps: [...ctx.steps] }, runtime });
    const { meta, childThread = null, ...rest } = answers[calls.length - 1] ?? {};
    // An adapter that checks nothing, as one written in JavaScript might.
    return { ...rest, childThread, meta: z.custom<z.infer<typeof schema>>().parse(meta) };
  };
  return { adapter, calls };
}

const planned = { meta: { status: "planned", phases: ["A"] } };
const coded = (done: boolean, where: string | null = null): Answer => ({ meta: { done, where } });

function runtime(
  signal: AbortSignal = new AbortController().signal,
): EngineRuntime & { requests: StepRequest[]; put: ReturnType<typeof vi.fn> } {
  const requests: StepRequest[] = [];
  const put = vi.fn(async (content: string) => `hash of ${content}`);
  const cas = { put, get: async () => null, delete: async () => undefined, list: async () => [] };
  const extract = async (): Promise<never> => Promise.reject(new Error("not here"));
  const runChild = async (): Promise<never> => Promise.reject(new Error("not here"));
  return {
    cas,
    extract,
    signal,
    directive: null,
    requests,
    put,
    enter: (request) => {
      requests.push(request);
      return {
        cas,
        extract,
        signal,
        step: { ...request, cwd: "/work", processTag: "", home: "/nowhere", agent: null },
        emit: () => undefined,
        runChild,
        agent: extract,
      };
    },
  };
}

const thread = (...steps: RoleStep[]): ThreadContext => ({
  threadId: "01KAJ2Z6PVX0000000000000ZZ",
  depth: 0,
  bundleHash: "0000000000000",
  start: { role: START, content: "the task", meta: {}, timestamp: 0, parentState: null },
  steps,
});

/** Drives the workflow as the engine does: every output is answered with the stored step. */
async function drive(
  workflow: WorkflowFn,
  ctx = thread(),
  lent: EngineRuntime = runtime(),
): Promise<{ outputs: RoleOutput[]; end: WorkflowCompletion }> {
  const outputs: RoleOutput[] = [];
  const generator = workflow(ctx, lent);
  let turn = await generator.next();
  while (turn.done !== true) {
    outputs.push(oneOutput(turn.value));
    turn = await generator.next(stored(oneOutput(turn.value)));
  }
  return { outputs, end: turn.value };
}

const stored = (output: RoleOutput): RoleStep => ({
  role: output.role,
  meta: output.meta,
  contentHash: "stored by the engine",
  refs: output.refs ?? [],
  timestamp: 1,
  childThread: output.childThread ?? null,
  run: output.run ?? null,
});

const run = (session: string | null): StepRun => ({
  agent: { name: "test", version: "1" },
  session,
  prompt: null,
  startedAt: 0,
  completedAt: 0,
  usage: null,
  cwd: "/",
  evidence: [],
});

describe("a workflow made from a definition", () => {
  it("runs its roles as the table says and ends with its own summary", async () => {
    const { adapter } = agent({ ...planned, content: "I planned." }, coded(false), coded(true));
    const { outputs, end } = await drive(createWorkflow(definition, { adapter, overrides: null }));
    expect(outputs).toEqual([
      {
        role: "planner",
        meta: { status: "planned", phases: ["A"] },
        content: "I planned.",
        refs: ["A"],
        childThread: null,
        route: { from: START, to: "planner", condition: "FALLBACK", rule: 0, prompt: null },
        run: null,
      },
      {
        role: "coder",
        meta: { done: false, where: null },
        content: '{"done":false,"where":null}',
        refs: [],
        childThread: null,
        route: { from: "planner", to: "coder", condition: "FALLBACK", rule: 2, prompt: "Do A" },
        run: null,
      },
      {
        role: "coder",
        meta: { done: true, where: null },
        content: '{"done":true,"where":null}',
        refs: [],
        childThread: null,
        route: { from: "coder", to: "coder", condition: "again", rule: 1, prompt: "again" },
        run: null,
      },
    ]);
    expect(end).toEqual({
      returnCode: 0,
      summary: '3 steps: planner → coder ×2; ended by done.\ncoder: {"done":true,"where":null}',
      route: { from: "coder", to: END, condition: "done", rule: 0, prompt: "all 2" },
    });
  });

  it("ends where no rule matches", async () => {
    const { adapter } = agent(planned, coded(false), coded(false), coded(false));
    const { end } = await drive(createWorkflow(definition, { adapter, overrides: null }));
    expect(end).toMatchObject({
      summary: expect.stringContaining("no rule of coder matched"),
      route: { from: "coder", to: END, condition: "NO_MATCH", rule: null, prompt: null },
    });
  });

  it("suspends with the question when the table says so", async () => {
    const { adapter } = agent({ meta: { status: "planned", phases: [] } });
    const { end } = await drive(createWorkflow(definition, { adapter, overrides: null }));
    expect(end).toMatchObject({
      suspend: { role: "planner", message: "What about the task?" },
      route: { from: "planner", to: SUSPEND, condition: "unclear", rule: 1 },
    });
  });

  it("binds each role to its own agent, with the role's prompt", async () => {
    const everyone = agent(planned);
    const forCoder = agent(coded(true));
    await drive(
      createWorkflow(definition, {
        adapter: everyone.adapter,
        overrides: { coder: forCoder.adapter },
      }),
    );
    expect(everyone.calls.map(({ prompt }) => prompt)).toEqual(["You plan."]);
    expect(forCoder.calls.map(({ prompt }) => prompt)).toEqual(["You code."]);
  });

  it("binds an agent only when its role runs", () => {
    const adapter = vi.fn(() => {
      throw new Error("no key");
    });
    expect(() => createWorkflow(definition, { adapter, overrides: null })).not.toThrow();
    expect(adapter).not.toHaveBeenCalled();
  });

  it("continues after the steps it is given, and leaves the caller's list alone", async () => {
    const earlier = thread(
      stored({ role: "planner", ...planned }),
      stored({ role: "coder", meta: { done: false, where: null } }),
    );
    const { adapter, calls } = agent(coded(true));
    const { outputs } = await drive(
      createWorkflow(definition, { adapter, overrides: null }),
      earlier,
    );
    expect(outputs.map(({ role }) => role)).toEqual(["coder"]);
    expect(calls[0]?.runtime.step).toMatchObject({ role: "coder", round: 3 });
    expect(earlier.steps).toHaveLength(2);
  });

  it("shows each role the steps as the engine stored them", async () => {
    const { adapter, calls } = agent(planned, coded(true));
    await drive(createWorkflow(definition, { adapter, overrides: null }));
    expect(calls[1]?.ctx.steps.map(({ contentHash }) => contentHash)).toEqual([
      "stored by the engine",
    ]);
  });

  it("stores the content itself when nobody answers a yield", async () => {
    const { adapter, calls } = agent({ ...planned, content: "I planned." }, coded(true));
    const lent = runtime();
    const roles: string[] = [];
    for await (const output of createWorkflow(definition, { adapter, overrides: null })(
      thread(),
      lent,
    ))
      roles.push(oneOutput(output).role);
    expect(roles).toEqual(["planner", "coder"]);
    expect(lent.put.mock.calls).toEqual([["I planned."], ['{"done":true,"where":null}']]);
    expect(calls[1]?.ctx.steps[0]).toMatchObject({
      contentHash: "hash of I planned.",
      refs: ["A"],
    });
  });

  it("passes a role its round, its route, its directory and its last session", async () => {
    const { adapter } = agent(
      planned,
      { ...coded(false, "/there"), run: run("s1") },
      { ...coded(false), run: run(null) },
      coded(true),
    );
    const lent = runtime();
    await drive(createWorkflow(definition, { adapter, overrides: null }), thread(), lent);
    expect(
      lent.requests.map(({ role, round, location, previousSession }) => [
        role,
        round,
        location,
        previousSession,
      ]),
    ).toEqual([
      ["planner", 1, null, null],
      ["coder", 2, null, null],
      ["coder", 3, "/there", "s1"],
      ["coder", 4, null, "s1"],
    ]);
  });

  it("makes the step that the engine asks for first, then follows the table", async () => {
    const earlier = thread(stored({ role: "planner", ...planned }));
    const route = { from: START, to: "planner", condition: "POKE", rule: null, prompt: "shorter" };
    const directive = { route, location: "/there", previousSession: null, agent: null };
    const lent = { ...runtime(), directive };
    const { adapter } = agent(planned, coded(true));
    await drive(createWorkflow(definition, { adapter, overrides: null }), earlier, lent);
    expect(lent.requests).toMatchObject([
      { role: "planner", round: 2, ...directive },
      { role: "coder", round: 3, route: { from: "planner", prompt: "Do A" } },
    ]);
  });

  it("refuses a result that does not fit the role's schema, naming each place", async () => {
    const { adapter } = agent({ meta: { status: "late", phases: ["A", 2] } });
    await expect(
      drive(createWorkflow(definition, { adapter, overrides: null })),
    ).rejects.toMatchObject({
      failure: {
        code: "INVALID_OUTPUT",
        message: expect.stringMatching(
          /^role planner, round 1: .*meta\.status: .*; meta\.phases\[1\]: /u,
        ),
      },
    });
  });

  it("keeps only the parts of a result that the schema keeps", async () => {
    const { adapter } = agent({ meta: { status: "aborted", phases: [], chatter: "x" } });
    const { outputs } = await drive(createWorkflow(definition, { adapter, overrides: null }));
    expect(outputs[0]?.meta).toEqual({ status: "aborted", phases: [] });
  });

  it("starts no step after an abort", async () => {
    const controller = new AbortController();
    const { adapter, calls } = agent(planned, coded(true));
    const generator = createWorkflow(definition, { adapter, overrides: null })(
      thread(),
      runtime(controller.signal),
    );
    await generator.next();
    controller.abort(new Error("stop"));
    await expect(generator.next()).rejects.toThrow("stop");
    expect(calls).toHaveLength(1);
  });

  it("passes on what its agent throws", async () => {
    const broken: AdapterFn = () => () => Promise.reject(new Error("the agent broke"));
    await expect(
      drive(createWorkflow(definition, { adapter: broken, overrides: null })),
    ).rejects.toThrow("the agent broke");
  });

  it("is refused at once when the definition is broken", () => {
    const broken = {
      ...definition,
      table: {
        ...definition.table,
        coder: [{ condition: { name: "x", when: "$now(" }, role: END }],
      },
    } as const;
    expect(() => createWorkflow(broken, { adapter: agent().adapter, overrides: null })).toThrow(
      "table.coder[0].when",
    );
  });
});
