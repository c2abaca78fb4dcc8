import type { ThreadContext, WorkflowRuntime } from "@uncaged/workflow-protocol";

/** Variables that tell a program which step it works for. */
export function stepEnvironment(
  ctx: Pick<ThreadContext, "threadId">,
  { step }: Pick<WorkflowRuntime, "step">,
): Record<string, string> {
  return {
    UNCAGED_THREAD_ID: ctx.threadId,
    UNCAGED_ROLE: step.role,
    UNCAGED_ROUND: String(step.round),
    ...(step.traceparent === undefined ? {} : { TRACEPARENT: step.traceparent }),
  };
}
