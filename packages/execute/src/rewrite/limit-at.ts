import { Ledger, limitBefore, limitWait, pickRoute, withLimits } from "@uncaged/workflow-moderator";
import type {
  RoleWait,
  ThreadContext,
  ThreadLimits,
  WorkflowDescriptor,
} from "@uncaged/workflow-protocol";

/** What a thread with these steps waits for because a limit forbids the next one; null: none does, or the rules for
 *  `limit` lead on. As the workflow itself decides it, without running anything. */
export async function limitAt(
  { graph: { edges }, roles, limits = {} }: WorkflowDescriptor,
  context: ThreadContext,
  ofThread: ThreadLimits | null,
): Promise<RoleWait | null> {
  const { roles: ofRoles = {}, ...own } = ofThread ?? {};
  const rules = new Map(Object.entries(roles));
  const bounds = { thread: { ...limits, ...own }, roles: withLimits(rules, ofRoles) };
  const ledger = new Ledger(bounds, context.steps);
  const limit = limitBefore(await pickRoute(edges, context), rules, ledger);
  if (limit === null) return null;
  const wayOut = await pickRoute(edges, context, "limit");
  const isLedOn = wayOut.matched !== null && !ledger.isBeyondLimits();
  return isLedOn ? null : limitWait(context.steps, limit);
}
