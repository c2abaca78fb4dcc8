import { evaluateResult } from "@uncaged/workflow-moderator";
import type { RecordedResult, ThreadContext, WorkflowDescriptor } from "@uncaged/workflow-protocol";

/** What a workflow returns after these steps, as its end node records it; null: it has no `result`. */
export async function resultAfter(
  { result }: Pick<WorkflowDescriptor, "result">,
  context: ThreadContext,
): Promise<RecordedResult | null> {
  if (result === undefined) return null;
  const evaluated = await evaluateResult(result, context);
  return evaluated.ok ? { value: evaluated.value } : { error: evaluated.error.message };
}
