import type {
  AdapterFn,
  RoleResult,
  StepRun,
  ThreadContext,
  WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { z } from "zod";

/** One call of an agent: what its options may depend on. */
export type AgentCall = {
  /** The role's system prompt. */
  prompt: string;
  ctx: ThreadContext;
  runtime: WorkflowRuntime;
};

/** Makes an adapter from an agent that returns text: the text is stored, and the role's meta is extracted from it.
 *  `about` names the agent in the run record; without it no record is kept. */
export function createAgentAdapter<Opt>(
  agent: (ctx: ThreadContext, options: Opt) => Promise<string>,
  optionsFn: (call: AgentCall) => Opt | Promise<Opt>,
  about: StepRun["agent"] | null = null,
): AdapterFn {
  return <T>(prompt: string, schema: z.ZodType<T>) =>
    async (ctx: ThreadContext, runtime: WorkflowRuntime): Promise<RoleResult<T>> => {
      const startedAt = Date.now();
      const content = await agent(ctx, await optionsFn({ prompt, ctx, runtime }));
      const completedAt = Date.now();
      const meta = await runtime.extract(schema, await runtime.cas.put(content));
      const result: RoleResult<T> = { meta, childThread: null, content };
      if (about === null) return result;
      return {
        ...result,
        run: {
          agent: about,
          session: null,
          prompt: null,
          startedAt,
          completedAt,
          usage: null,
          cwd: runtime.step.cwd,
          evidence: [],
        },
      };
    };
}
