/** An adapter that plays a role by running a program: no model where no judgement is needed.
 *
 *  1. The exit code is data, not an error: a failing test suite is a result.
 *  2. What the program prints is data as well: it never becomes an argument, a path or a node of another type,
 *     and the values of secret variables are taken out of it before anything is stored or shown.
 *  3. A step fails when the program cannot be started, exceeds a time limit, or gives a result that does not
 *     fit the role's schema. When the thread is stopped, the role rejects once all its processes are gone. */
import {
  type AdapterFn,
  failureFrom,
  type RoleResult,
  type ThreadContext,
  WorkflowError,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { AgentCall } from "@uncaged/workflow-util-agent";
import type { z } from "zod";
import type { CommandAgentConfig } from "./command-config.ts";
import { type CommandOrder, commandOrder } from "./command-order.ts";
import { putEvidence } from "./evidence.ts";
import { emitEnd, emitStart } from "./live-events.ts";
import { metaOf } from "./meta-of.ts";
import { packageVersion } from "./package-version.ts";
import { runCommand } from "./run-command.ts";

/** Nothing is looked for or started before the role is played. */
export function createCommandAgent(config: CommandAgentConfig): AdapterFn {
  return <T>(prompt: string, schema: z.ZodType<T>) =>
    async (ctx: ThreadContext, runtime: WorkflowRuntime): Promise<RoleResult<T>> => {
      const call = { prompt, ctx, runtime };
      const order = await commandOrder(config, call);
      emitStart(runtime, order);
      try {
        const result = await playRole(config, schema, call, order);
        emitEnd(runtime, null);
        return result;
      } catch (thrown) {
        emitEnd(runtime, failureFrom(thrown, "AGENT_FAILED"));
        throw thrown;
      }
    };
}

async function playRole<T>(
  config: CommandAgentConfig,
  schema: z.ZodType<T>,
  call: AgentCall,
  order: CommandOrder,
): Promise<RoleResult<T>> {
  const { cas } = call.runtime;
  const done = await runCommand(order, config, call.runtime);
  if (!done.ok) throw new WorkflowError(done.error);
  const { result, startedAt, completedAt } = done.value;
  const meta = await metaOf({ config, schema, call, order, result });
  if (!meta.ok) throw new WorkflowError(meta.error);
  return {
    meta: meta.value,
    childThread: null,
    content: result.output === "" ? undefined : result.output,
    run: {
      agent: { name: "command", version: packageVersion() },
      session: null,
      prompt: order.stdin === null ? null : await cas.put(order.stdin),
      startedAt,
      completedAt,
      usage: null,
      cwd: order.cwd,
      evidence: [await putEvidence(cas, order, result)],
    },
  };
}
