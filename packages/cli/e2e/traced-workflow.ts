/** Source of two workflows for tests, built from a folder that has nothing but zod at hand. `traced`: an agent plans, which
 *  calls tools and says what it used; two reviewers look at it side by side; then a child thread of `small` runs. The
 *  prompt is JSON: `gate` makes the planner wait until the working directory has a file of that name. */
export const TRACED = `
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START, workflowAsAgent } from "@uncaged/workflow-runtime";
import { z } from "zod";

const role = (description) => defineRole({
  description, systemPrompt: description, schema: z.object({ ok: z.boolean() }), extractRefs: null,
});
const definition = defineWorkflow({
  description: "is traced",
  roles: { planner: role("plans"), reviewer: role("reviews"), helper: defineRole({ description: "helps", systemPrompt: "Help.", schema: z.object({ returnCode: z.number() }), extractRefs: null }) },
  table: {
    [START]: [{ condition: "FALLBACK", role: "planner" }],
    planner: [{ condition: "FALLBACK", group: { name: "reviews", each: "['a', 'b']", role: "reviewer", prompt: "Review {{ item }}" } }],
    reviewer: [],
    reviews: [{ condition: "FALLBACK", role: "helper" }],
    helper: [{ condition: "FALLBACK", role: END }],
  },
});
const agent = (_prompt, schema) => async (ctx, runtime) => {
  const startedAt = Date.now();
  const { gate } = JSON.parse(ctx.start.content);
  runtime.emit({ type: "started", agent: "sample-agent", session: "session-1" });
  runtime.emit({ type: "tool", phase: "start", id: "call-1", name: "read_file", input: { path: "secret-plans.txt" } });
  runtime.emit({ type: "tool", phase: "end", id: "call-1", name: "read_file", ok: true });
  if (runtime.step.role === "planner" && gate)
    while (!existsSync(runtime.step.cwd + "/" + gate)) await sleep(10, undefined, { signal: runtime.signal });
  const usage = { inputTokens: 11, outputTokens: 7, cachedInputTokens: 3, costUsd: 0.25 };
  runtime.emit({ type: "usage", usage });
  runtime.emit({ type: "end", outcome: "ok", reason: "" });
  return {
    meta: schema.parse({ ok: true }),
    childThread: null,
    content: "traceparent " + runtime.step.traceparent + " token ghp_" + "Ab1".repeat(12),
    run: {
      agent: { name: "sample-agent", version: "1", model: "sample-model" },
      session: "session-1", prompt: null, startedAt, completedAt: Date.now(), usage,
      cwd: runtime.step.cwd, evidence: [],
    },
  };
};
export const run = createWorkflow(definition, { adapter: agent, overrides: { helper: workflowAsAgent("small") } });
export const descriptor = buildDescriptor(definition);
`;

export const SMALL = `
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
import { z } from "zod";
const definition = defineWorkflow({
  description: "is a child",
  roles: { doer: defineRole({ description: "does", systemPrompt: "Do.", schema: z.object({ ok: z.boolean() }), extractRefs: null }) },
  table: { [START]: [{ condition: "FALLBACK", role: "doer" }], doer: [{ condition: "FALLBACK", role: END }] },
});
const doer = (_prompt, schema) => async (ctx) => {
  if (ctx.start.content.includes("break")) throw new Error("it broke");
  return { meta: schema.parse({ ok: true }), childThread: null };
};
export const run = createWorkflow(definition, { adapter: doer });
export const descriptor = buildDescriptor(definition);
`;
