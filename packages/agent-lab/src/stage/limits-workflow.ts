/** Source of a workflow with one step: for a task that says "flood" a command that prints 100 MB before its answer,
 *  otherwise the default agent. */
export const LIMITS_WORKFLOW: string = `
import { createCommandAgent } from "@uncaged/workflow-agent-command";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, namedAgent, START } from "@uncaged/workflow-runtime";
import { z } from "zod";

const role = defineRole({
  description: "works",
  systemPrompt: "Do what the task says.",
  schema: z.object({ status: z.enum(["done"]) }),
  extractRefs: null,
});
const definition = defineWorkflow({
  description: "one step of one of two roles",
  roles: { worker: role, flood: role },
  table: {
    [START]: [
      { condition: { name: "flood", when: "$contains(start.content, 'flood')" }, role: "flood" },
      { condition: "FALLBACK", role: "worker" },
    ],
    worker: [{ condition: "FALLBACK", role: END }],
    flood: [{ condition: "FALLBACK", role: END }],
  },
});
const flood = createCommandAgent({
  command: "sh",
  args: ["-c", "yes nothing | head -c 100000000; echo; echo '{\\"status\\":\\"done\\"}'"],
  output: "json",
});
export const descriptor = buildDescriptor(definition);
export const run = createWorkflow(definition, { adapter: namedAgent(), overrides: { flood } });
`;
