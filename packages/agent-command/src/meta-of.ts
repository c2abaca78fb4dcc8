import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { type AgentCall, describeIssues, readStructured } from "@uncaged/workflow-util-agent";
import type { z } from "zod";
import type { CommandAgentConfig, CommandResult } from "./command-config.ts";
import type { CommandOrder } from "./command-order.ts";
import { lastWords } from "./last-words.ts";

type Finished<T> = {
  config: CommandAgentConfig;
  schema: z.ZodType<T>;
  call: AgentCall;
  order: CommandOrder;
  result: CommandResult;
};

/** The role's meta, computed from a command's result as the binding says. Fails with `INVALID_OUTPUT`, or with
 *  `AGENT_FAILED` when the binding's own `toMeta` throws. */
export async function metaOf<T>(finished: Finished<T>): Promise<Result<T, Failure>> {
  const { config, schema, result } = finished;
  if (config.output === "json") {
    const read = await readStructured(result.stdout, schema);
    return read.ok
      ? read
      : err(invalid(finished, `stdout of ${what(finished)}`, read.error.message));
  }
  const made = await makeMeta(finished);
  if (!made.ok) return made;
  const parsed = await schema.safeParseAsync(made.value);
  if (parsed.success) return ok(parsed.data);
  return err(invalid(finished, `the result of ${what(finished)}`, describeIssues(parsed.error)));
}

async function makeMeta<T>(finished: Finished<T>): Promise<Result<unknown, Failure>> {
  const { config, call, order, result } = finished;
  if (config.toMeta === undefined) return ok({ exitCode: result.exitCode, output: result.output });
  try {
    return ok(await config.toMeta(result, call));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return err(
      failure(
        "AGENT_FAILED",
        `\`toMeta\` of ${order.title} threw: ${order.redact(why)}${lastWords(result)}`,
        "correct it where the agent is bound",
      ),
    );
  }
}

function invalid<T>(finished: Finished<T>, subject: string, why: string): Failure {
  const { config, call, order, result } = finished;
  const { role, round } = call.runtime.step;
  const hint =
    config.output === "json"
      ? "let the command end its output with one JSON object that fits the role's schema"
      : "give the binding a `toMeta` that turns the command's result into the role's meta";
  const message = `${subject} does not fit the schema of role ${role} (step ${round}): ${why}`;
  return failure("INVALID_OUTPUT", `${order.redact(message)}${lastWords(result)}`, hint);
}

function what<T>({ order, result }: Finished<T>): string {
  return `${order.title} (exit code ${result.exitCode})`;
}
