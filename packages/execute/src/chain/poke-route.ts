/** The route that is recorded on a poked step: the one that led to the old step. */
import { pickRoute } from "@uncaged/workflow-moderator";
import type { StepRoute, ThreadContext, WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { isSaid } from "./answer-directive.ts";

/** Condition of a poked step's route when the workflow function records no routes. */
export const POKE = "POKE";

/** The same route by the table of the version that the thread was upgraded to since. The upgrade proved that it leads
 *  to the same role; the rule may differ. */
export async function routeByTable(
  route: StepRoute,
  { graph }: WorkflowDescriptor,
  context: ThreadContext,
): Promise<StepRoute> {
  // No rule led to it.
  if (isSaid(route.condition) || route.rule === null) return route;
  const { rule, to, matched } = await pickRoute(graph.edges, context, route.outcome);
  if (matched === null || to !== route.to)
    throw new Error(`the table leads from ${route.from} to ${to}, which no upgrade allows`);
  return { ...route, rule, condition: matched.condition };
}
