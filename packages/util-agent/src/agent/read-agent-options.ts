import { failure, type JsonObject, WorkflowError } from "@uncaged/workflow-protocol";
import { z } from "zod";
import { describeIssues } from "../answer/read-structured.ts";
import type { AgentOptions } from "../driver/agent-driver.ts";

/** Parses the options of a named agent in `config.agents` of `workflow.yaml`: the adapter's own, and those that
 *  every adapter has. Throws `CONFIG_INVALID` for invalid and for unknown options. */
export function readAgentOptions<Own extends object>(
  agent: string,
  own: z.ZodType<Own>,
  options: JsonObject,
): Own & AgentOptions {
  const names = Object.keys(options);
  const pick = (ofAll: boolean): JsonObject =>
    Object.fromEntries(
      names
        .filter((name) => Object.hasOwn(OF_ALL.shape, name) === ofAll)
        .map((name) => [name, options[name] ?? null]),
    );
  return { ...readOptions(agent, own, pick(false)), ...readOptions(agent, OF_ALL, pick(true)) };
}

const milliseconds = z.int().positive();
const count = z.int().nonnegative();

const OF_ALL = z.strictObject({
  timeoutMs: milliseconds.nullable().optional(),
  idleTimeoutMs: milliseconds.optional(),
  repairs: count.optional(),
  evidenceTurns: count.optional(),
  budgetChars: count.optional(),
  passEnv: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  config: z.enum(["private", "user"]).optional(),
  cwd: z.string().optional(),
});

/** The same for an agent that has only its own options. */
export function readOptions<T>(agent: string, schema: z.ZodType<T>, options: JsonObject): T {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw new WorkflowError(
    failure(
      "CONFIG_INVALID",
      `options of the agent ${agent}: ${describeIssues(parsed.error)}`,
      `correct them in config.agents of workflow.yaml; they are described in docs/agents/${agent}.md`,
    ),
  );
}
