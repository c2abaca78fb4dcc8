/** A workflow whose members cost nothing: what is left is the engine. The prompt says how many members. */
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
  description: "Many members, and one decision",
  roles: {
    worker: defineRole({
      description: "Says the same again",
      systemPrompt: "Say the same again.",
      schema: z.object({ status: z.string(), step: z.number() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [
      {
        condition: "FALLBACK",
        group: {
          name: "members",
          each: "[1..$number(start.content)]",
          role: "worker",
          prompt: "Say the same as {{ item }}.",
          atOnce: 16,
        },
      },
    ],
    worker: [],
    members: [{ condition: { name: "done", when: "group.failed = 0" }, role: END }],
  },
});

const worker = () => async (ctx, runtime) => ({
  meta: { status: "going", step: runtime.step.round },
  childThread: null,
  content: `${ctx.threadId} ${runtime.step.round}: ${ANSWER}`,
});

export const run = createWorkflow(definition, { adapter: worker, overrides: null });
export const descriptor = buildDescriptor(definition);
