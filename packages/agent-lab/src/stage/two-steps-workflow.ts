/** Source of a workflow whose worker runs twice: the second time it resumes its session. */
export const TWO_STEPS_WORKFLOW: string = `
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, namedAgent, START } from "@uncaged/workflow-runtime";
import { z } from "zod";

const worker = defineRole({
  description: "works",
  systemPrompt: "Do what the task says.",
  schema: z.object({ status: z.enum(["more", "done"]) }),
  extractRefs: null,
});
const definition = defineWorkflow({
  description: "one role, entered twice",
  roles: { worker },
  table: {
    [START]: [{ condition: "FALLBACK", role: "worker" }],
    worker: [
      { condition: { name: "more", when: "last.meta.status = 'more'" }, role: "worker" },
      { condition: "FALLBACK", role: END },
    ],
  },
});
export const descriptor = buildDescriptor(definition);
export const run = createWorkflow(definition, { adapter: namedAgent(), overrides: null });
`;
