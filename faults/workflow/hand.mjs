/** One step that a program plays: `agent/stand-in.mjs`, whose manner is the thread's prompt. */
import { createCommandAgent } from "@uncaged/workflow-agent-command";
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
  description: "has a program do one thing",
  roles: {
    hand: defineRole({
      description: "a program",
      systemPrompt: "Do it.",
      schema: z.object({ exitCode: z.number(), output: z.string() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "hand" }],
    hand: [{ condition: "FALLBACK", role: END }],
  },
});

const adapter = createCommandAgent({
  command: process.execPath,
  args: ({ ctx }) => JSON.parse(ctx.start.content),
  maxOutputBytes: 65_536,
  graceMs: 300,
});

export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
