/** Two roles whose every step tells the simulation that it is played; it ends after the steps that its prompt
 *  names. */
import {
  buildDescriptor,
  createWorkflow,
  defineRole,
  defineWorkflow,
  END,
  START,
} from "@uncaged/workflow-runtime";
import { z } from "zod";

const schema = z.object({ step: z.number(), left: z.number(), said: z.string() });
const role = { description: "", systemPrompt: "", schema, extractRefs: null };

const definition = defineWorkflow({
  description: "Scripted agents",
  roles: { worker: defineRole(role), checker: defineRole(role) },
  table: {
    [START]: [{ condition: "FALLBACK", role: "worker" }],
    worker: [
      { condition: { name: "done", when: "last.meta.left = 0" }, role: END },
      { condition: { name: "checked", when: "last.meta.step % 3 = 0" }, role: "checker" },
      { condition: "FALLBACK", role: "worker" },
    ],
    checker: [
      { condition: { name: "done", when: "last.meta.left = 0" }, role: END },
      { condition: "FALLBACK", role: "worker", prompt: "after {{ last.meta.step }}" },
    ],
  },
});

const agent = (_prompt, shape) => async (ctx, runtime) => {
  const { round, role: name, route } = runtime.step;
  const said = await globalThis.simulatedAgent({ threadId: ctx.threadId, round });
  const stored = await runtime.cas.put(`${said}, kept by itself`);
  const left = Number(ctx.start.content) - round;
  const meta = shape.parse({ step: round, left: Math.max(0, left), said: stored });
  return { meta, childThread: null, content: `${name} ${said} ${route?.prompt ?? ""}` };
};

export const run = createWorkflow(definition, { adapter: agent, overrides: null });
export const descriptor = buildDescriptor(definition);
