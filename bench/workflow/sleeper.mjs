/** One role whose agent says when it began and then does nothing. */
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
  description: "waits for its agent",
  roles: {
    sleeper: defineRole({
      description: "sleeps",
      systemPrompt: "Sleep.",
      schema: z.object({ exitCode: z.number(), output: z.string() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "sleeper" }],
    sleeper: [{ condition: "FALLBACK", role: END }],
  },
});

const adapter = createCommandAgent({
  command: "/bin/sh",
  args: () => ["-c", "date +%s%N > began.$$; exec sleep 3600"],
});

export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
