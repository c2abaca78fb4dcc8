/** Two roles that hand over to each other for ever. */
import {
  buildDescriptor,
  createWorkflow,
  defineRole,
  defineWorkflow,
  START,
} from "@uncaged/workflow-runtime";
import { z } from "zod";

const role = (description) =>
  defineRole({
    description,
    systemPrompt: "Hand over.",
    schema: z.object({ said: z.string() }),
    extractRefs: null,
  });
const definition = defineWorkflow({
  description: "never ends",
  roles: { ping: role("says ping"), pong: role("says pong") },
  table: {
    [START]: [{ condition: "FALLBACK", role: "ping" }],
    ping: [{ condition: "FALLBACK", role: "pong" }],
    pong: [{ condition: "FALLBACK", role: "ping" }],
  },
});

const usage = { inputTokens: 600, outputTokens: 400, cachedInputTokens: 0, costUsd: 0.01 };
const adapter = () => async (_ctx, runtime) => {
  const now = Date.now();
  const record = {
    agent: { name: "ball", version: "1" },
    session: null,
    prompt: null,
    startedAt: now,
    completedAt: now,
    usage,
    cwd: runtime.step.cwd,
    evidence: [],
  };
  return { meta: { said: runtime.step.role }, childThread: null, run: record };
};

export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
