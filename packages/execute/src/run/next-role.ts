import { openGroup, pickRoute } from "@uncaged/workflow-moderator";
import {
  isFinal,
  type ThreadContext,
  type ThreadRecord,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";

/** What the table names next: a role, a group, `__end__` or `__suspend__`; null once the thread has ended. Uses the
 *  descriptor's graph, so nothing of the bundle runs. */
export async function nextRole(
  thread: Pick<ThreadRecord, "status">,
  descriptor: WorkflowDescriptor,
  context: ThreadContext,
): Promise<string | null> {
  if (isFinal(thread.status)) return null;
  const { edges } = descriptor.graph;
  const open = openGroup(edges, context.steps);
  return open?.name ?? (await pickRoute(edges, context)).to;
}
