/** A workflow that starts itself, which starts itself. */
import {
  buildDescriptor,
  createWorkflow,
  defineRole,
  defineWorkflow,
  END,
  START,
  workflowAsAgent,
} from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "starts itself",
  roles: {
    again: defineRole({
      description: "the same again, one deeper",
      systemPrompt: "Again.",
      schema: z.object({ returnCode: z.number(), summary: z.string() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "again" }],
    again: [{ condition: "FALLBACK", role: END }],
  },
});

export const run = createWorkflow(definition, {
  adapter: workflowAsAgent("nested"),
  overrides: null,
});
export const descriptor = buildDescriptor(definition);
