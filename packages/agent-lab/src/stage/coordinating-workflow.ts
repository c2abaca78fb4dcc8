/** Source of a workflow whose role coordinates workers of the workflow `hand`, and sums up what they return. */
export const COORDINATING_WORKFLOW: string = `
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, namedAgent, START } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "a coordinator, and a role after it",
  roles: {
    lead: defineRole({
      description: "divides the work",
      systemPrompt: "Divide the work.",
      schema: z.object({ status: z.enum(["done"]), report: z.string() }),
      extractRefs: null,
      coordinates: { workflows: ["hand"], atOnce: 2 },
    }),
    closer: defineRole({
      description: "ends it",
      systemPrompt: "End it.",
      schema: z.object({ status: z.enum(["done"]) }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "lead" }],
    lead: [{ condition: "FALLBACK", role: "closer" }],
    closer: [{ condition: "FALLBACK", role: END }],
  },
});
export const descriptor = buildDescriptor(definition);
export const run = createWorkflow(definition, { adapter: namedAgent(), overrides: null });
`;

/** Source of the workflow `hand`: one role, played by the default agent. */
export const HAND_WORKFLOW: string = `
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, namedAgent, START } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "does one part",
  roles: {
    hand: defineRole({
      description: "does it",
      systemPrompt: "Do it.",
      schema: z.object({ status: z.enum(["done"]), count: z.number() }),
      extractRefs: null,
    }),
  },
  table: { [START]: [{ condition: "FALLBACK", role: "hand" }], hand: [{ condition: "FALLBACK", role: END }] },
});
export const descriptor = buildDescriptor(definition);
export const run = createWorkflow(definition, { adapter: namedAgent(), overrides: null });
`;
