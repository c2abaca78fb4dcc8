/** A workflow of known outcome: a worker does `steps` steps, each with an artifact of its own, then a
 *  checker ends it. The prompt is JSON: `{ steps, sleepMs, pad }`; `pad` is a number of characters that
 *  each step says beside its number. The first step that ever begins never yields when there is `spins`, and stops
 *  its process with the index locked when there is `locks`.
 *
 *  A step that begins appends its number to `began` in the working directory: the side log that says which
 *  steps the engine has acknowledged, since it begins none before the last one is published. */
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  buildDescriptor,
  createWorkflow,
  defineRole,
  defineWorkflow,
  END,
  START,
} from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "works step by step",
  roles: {
    worker: defineRole({
      description: "does one step",
      systemPrompt: "Do the next step.",
      schema: z.object({ step: z.number(), left: z.number(), artifact: z.string() }),
      extractRefs: ({ artifact }) => [artifact],
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
      { condition: { name: "more", when: "last.meta.left > 0" }, role: "worker" },
      { condition: "FALLBACK", role: "checker" },
    ],
    checker: [{ condition: "FALLBACK", role: END }],
  },
});

const worker = (_prompt, schema) => async (ctx, runtime) => {
  const { steps, sleepMs, pad, spins, locks } = JSON.parse(ctx.start.content);
  const first = !existsSync(`${runtime.step.cwd}/began`);
  const step = ctx.steps.filter(({ role }) => role === "worker").length + 1;
  appendFileSync(`${runtime.step.cwd}/began`, `${step}\n`);
  while (first && spins) Math.random();
  if (first && locks) stopLocked();
  await sleep(sleepMs, undefined, { signal: runtime.signal });
  const artifact = await runtime.cas.put(`artifact ${step} of ${runtime.step.cwd}`);
  const meta = schema.parse({ step, left: steps - step, artifact });
  return { meta, childThread: null, content: `step ${step}${"·".repeat(pad)}` };
};

/** As in the middle of a write. The database stays open: closed, it would give its lock back. */
function stopLocked() {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  opened = new DatabaseSync(`${process.env.UNCAGED_WORKFLOW_STORAGE_ROOT}/index.db`);
  opened.exec("BEGIN IMMEDIATE");
  process.kill(process.pid, "SIGSTOP");
}

let opened;

const checker = (_prompt, schema) => async (_ctx, runtime) => {
  appendFileSync(`${runtime.step.cwd}/began`, "0\n");
  return { meta: schema.parse({ ok: true }), childThread: null };
};

export const run = createWorkflow(definition, { adapter: worker, overrides: { checker } });
export const descriptor = buildDescriptor(definition);
