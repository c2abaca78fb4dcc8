import type {
  AdapterFn,
  ChildOutcome,
  RoleResult,
  ThreadContext,
  WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { z } from "zod";
import { parseMeta } from "./parse-meta.ts";

export type WorkflowAgentOptions = {
  /** What the child is asked to do. Default: the edge prompt, else the thread's own prompt. */
  prompt?: (ctx: ThreadContext, runtime: WorkflowRuntime) => string;
  /** The role's meta, from how the child ended; parsed by the role's schema. Default: the outcome itself
   *  (`threadId`, `returnCode`, `summary`, `rootHash`, `lastMeta`). */
  toMeta?: (outcome: ChildOutcome) => unknown;
};

/** An agent that is a workflow: runs the registered workflow `name` as a child thread and waits for its
 *  end. A child that failed is a result like any other, its return code says so; the role rejects with
 *  `INVALID_OUTPUT` when the meta does not fit, with `MAX_DEPTH` when children are nested too deep. */
export function workflowAsAgent(name: string, options: WorkflowAgentOptions = {}): AdapterFn {
  const { prompt = defaultPrompt, toMeta = (outcome) => outcome } = options;
  return <T>(_systemPrompt: string, schema: z.ZodType<T>) =>
    async (ctx: ThreadContext, runtime: WorkflowRuntime): Promise<RoleResult<T>> => {
      const outcome = await runtime.runChild({ workflow: name, prompt: prompt(ctx, runtime) });
      const meta = await parseMeta(schema, toMeta(outcome), runtime.step);
      return { meta, childThread: outcome.threadId, content: outcome.summary };
    };
}

function defaultPrompt(ctx: ThreadContext, runtime: WorkflowRuntime): string {
  return runtime.step.route?.prompt ?? ctx.start.content;
}
