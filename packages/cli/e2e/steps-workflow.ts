/** Source of a workflow for tests, built in a folder with only zod installed. A worker works until
 *  it has done `steps` steps, then a checker ends it. The prompt is JSON and says how:
 *
 *      steps     how many steps of the worker (default 2)
 *      sleepMs   how long each step takes (default 0)
 *      gate      each step waits until the working directory has a file "<gate>-<n>"
 *      says      what the worker says (default "step <n>")
 *      talk      how many extra events a step of the worker emits (default 0)
 *      failAt    the step at which the worker fails, with its text in the message
 *      failOn    the prompt on which the worker fails, whatever the step
 *      suspendAt the step after which a person is asked
 *
 *  Every step that begins appends a line to `began` in the working directory. */
export function stepsWorkflow({ description }: { description: string }): string {
  return `
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START, SUSPEND } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: ${JSON.stringify(description)},
  roles: {
    worker: defineRole({
      description: "does one step",
      systemPrompt: "Do the next step.",
      schema: z.object({ step: z.number(), left: z.number(), ask: z.boolean() }),
      extractRefs: null,
    }),
    checker: defineRole({
      description: "looks at all of it",
      systemPrompt: "Check the work.",
      schema: z.object({ ok: z.boolean() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "worker" }],
    worker: [
      { condition: { name: "asks", when: "last.meta.ask" }, role: SUSPEND, prompt: "Go on after step {{ last.meta.step }}?" },
      { condition: { name: "more", when: "last.meta.left > 0" }, role: "worker" },
      { condition: "FALLBACK", role: "checker" },
    ],
    checker: [{ condition: "FALLBACK", role: END }],
  },
});

const plan = (ctx) => ({ steps: 2, sleepMs: 0, ...(ctx.start.content.startsWith("{") ? JSON.parse(ctx.start.content) : {}) });

const worker = (_prompt, schema) => async (ctx, runtime) => {
  const { steps, sleepMs, gate, says, talk, failAt, failOn, suspendAt } = plan(ctx);
  const step = ctx.steps.filter(({ role }) => role === "worker").length + 1;
  appendFileSync(runtime.step.cwd + "/began", step + "\\n");
  runtime.emit({ type: "text", text: "working on step " + step + "\\n" });
  for (let at = 1; at <= (talk ?? 0); at += 1) {
    runtime.emit({ type: "text", text: "word " + at + " of step " + step + " " + "x".repeat(900) + "\\n" });
    if (at % 100 === 0) await sleep(1);
  }
  console.log("a bundle that prints");
  await sleep(sleepMs, undefined, { signal: runtime.signal });
  const file = runtime.step.cwd + "/" + gate + "-" + step;
  while (gate && !existsSync(file)) await sleep(10, undefined, { signal: runtime.signal });
  if (failOn !== undefined && runtime.step.route.prompt === failOn) throw new Error("the worker broke on its prompt");
  if (step === failAt) throw new Error("the worker broke at step " + step + (says ?? ""));
  const meta = schema.parse({ step, left: steps - step, ask: step === suspendAt });
  return { meta, childThread: null, content: says ?? "step " + step };
};
const checker = (_prompt, schema) => async () => ({ meta: schema.parse({ ok: true }), childThread: null });

export const run = createWorkflow(definition, { adapter: worker, overrides: { checker } });
export const descriptor = buildDescriptor(definition);
`;
}
