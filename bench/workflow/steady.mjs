/** A workflow whose role costs nothing: what is left is the engine. It never
 *  ends by itself.
 *
 *  Between two steps it hands over to the process it runs in, if that one wants to know: a benchmark
 *  measures there, and does its own side of the comparison while the engine waits. */
import {
  buildDescriptor,
  createWorkflow,
  defineRole,
  defineWorkflow,
  END,
  START,
} from "@uncaged/workflow-runtime";
import { z } from "zod";
import { ANSWER } from "../parts/answer.mjs";

const definition = defineWorkflow({
  description: "One role, over and over",
  roles: {
    worker: defineRole({
      description: "Says the same again",
      systemPrompt: "Say the same again.",
      schema: z.object({ status: z.string(), step: z.number() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "worker" }],
    worker: [
      { condition: { name: "stopped", when: "last.meta.status = 'stopped'" }, role: END },
      { condition: "FALLBACK", role: "worker" },
    ],
  },
});

const worker = () => async (ctx, runtime) => {
  await globalThis.betweenSteps?.(runtime.step.round);
  const step = ctx.steps.length + 1;
  return {
    meta: { status: "going", step },
    childThread: null,
    content: `${ctx.threadId} ${step}: ${ANSWER}`,
  };
};

export const run = createWorkflow(definition, { adapter: worker, overrides: null });
export const descriptor = buildDescriptor(definition);
