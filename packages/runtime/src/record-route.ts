import { fillTemplate, type PickedRoute } from "@uncaged/workflow-moderator";
import type { DescriptorEdge, StepRoute } from "@uncaged/workflow-protocol";

/** Condition of a route when no rule matched: the thread ends. */
export const NO_MATCH = "NO_MATCH";

/** A route as recorded with the step, and the directory it asks for: the edge's prompt and location, filled in. An
 *  empty location asks for nothing. */
export async function recordRoute({
  from,
  to,
  rule,
  matched,
  seen,
}: PickedRoute<DescriptorEdge>): Promise<{ route: StepRoute; location: string | null }> {
  const prompt = matched?.prompt == null ? null : await fillTemplate(matched.prompt, seen);
  const location = matched?.location == null ? null : await fillTemplate(matched.location, seen);
  const condition = matched?.condition ?? NO_MATCH;
  return {
    route: { from, to, condition, rule, prompt },
    location: location === "" ? null : location,
  };
}
