/** Source of a workflow for tests of one step. The prompt is JSON and says what the step does:
 *
 *      sh      runs this in a shell, as an agent would
 *      blocks  never returns to the event loop
 *      freezes locks the index, as in the middle of a write, and stops (SIGSTOP) its process
 *
 *  A step creates the file `began` in the working directory when it begins. */
export const HANDS_WORKFLOW = `
import { appendFileSync } from "node:fs";
import { createCommandAgent } from "@uncaged/workflow-agent-command";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "does one thing",
  roles: {
    hand: defineRole({
      description: "does it",
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

const plan = (ctx) => JSON.parse(ctx.start.content);
const shell = createCommandAgent({ command: "/bin/sh", args: ({ ctx }) => ["-c", plan(ctx).sh], graceMs: 300 });

const adapter = (prompt, schema) => async (ctx, runtime) => {
  const { blocks, freezes } = plan(ctx);
  appendFileSync(runtime.step.cwd + "/began", "1\\n");
  // As unresponsive as an endless loop, but leaves the processor to others.
  if (blocks) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (freezes) {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const index = new DatabaseSync(process.env.WORKFLOW_STORAGE_ROOT + "/index.db");
    index.exec("BEGIN IMMEDIATE");
    process.kill(process.pid, "SIGSTOP");
  }
  return shell(prompt, schema)(ctx, runtime);
};

export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
`;
