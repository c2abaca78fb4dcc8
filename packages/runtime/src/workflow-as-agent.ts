import type {
  AdapterFn,
  ChildOutcome,
  RoleResult,
  StepRun,
  ThreadContext,
  WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { z } from "zod";
import { parseMeta } from "./parse-meta.ts";

export type WorkflowAgentOptions = {
  /** What the child is asked to do. Default: the edge's prompt, else the thread's own prompt. */
  prompt?: (ctx: ThreadContext, runtime: WorkflowRuntime) => string;
  /** Maps how the child ended to the role's meta, which is then parsed by the role's schema. Default: the outcome
   *  itself (`threadId`, `returnCode`, `summary`, `rootHash`, `lastMeta`, and `result` if the workflow has one). */
  toMeta?: (outcome: ChildOutcome) => unknown;
};

/** Uses a workflow as an agent: runs the registered workflow `name` as a child thread and waits for its end. A
 *  failed child is a result like any other; its return code says so. The role rejects with `INVALID_OUTPUT` when the
 *  meta does not match, with `MAX_DEPTH` when children are nested too deep. A child that the step is not waiting for any
 *  more is killed. */
export function workflowAsAgent(name: string, options: WorkflowAgentOptions = {}): AdapterFn {
  const { prompt = defaultPrompt, toMeta = defaultMeta } = options;
  return <T>(_systemPrompt: string, schema: z.ZodType<T>) =>
    async (ctx: ThreadContext, runtime: WorkflowRuntime): Promise<RoleResult<T>> => {
      const startedAt = Date.now();
      const outcome = await runtime.runChild({
        workflow: name,
        prompt: prompt(ctx, runtime),
        signal: runtime.signal,
      });
      const meta = await parseMeta(schema, toMeta(outcome), runtime.step);
      const run: StepRun = {
        agent: { name: `workflow ${name}`, version: outcome.bundleHash },
        session: null,
        prompt: null,
        startedAt,
        completedAt: Date.now(),
        usage: outcome.usage,
        cwd: runtime.step.cwd,
        evidence: [],
      };
      return { meta, childThread: outcome.threadId, content: contentOf(outcome), run };
    };
}

/** What the child's workflow returns, as a person would read it; else how the child sums itself up. */
function contentOf({ result, summary }: ChildOutcome): string {
  if (result === undefined) return summary;
  return typeof result === "string" ? result : JSON.stringify(result);
}

function defaultMeta({ bundleHash: _, usage: __, ...outcome }: ChildOutcome): unknown {
  return outcome;
}

function defaultPrompt(ctx: ThreadContext, runtime: WorkflowRuntime): string {
  return runtime.step.route?.prompt ?? ctx.start.content;
}
