/** Evaluates every recorded route again, with the steps before it and the table of the version that the thread ran at
 *  the time.
 *
 *  Tables are untrusted. A single decision has a time limit; so that a thousand of them have one, too, the first
 *  failure is the last decision evaluated, and all of them together get `routesLimitMs`. */
import { fillTemplate, pickRoute } from "@uncaged/workflow-moderator";
import {
  type DescriptorEdge,
  failureFrom,
  type StepRoute,
  SUSPEND,
  type ThreadContext,
} from "@uncaged/workflow-protocol";
import { ANSWER } from "../chain/answer-directive.ts";
import type { Chain } from "../chain/chain.ts";
import { POKE } from "../chain/poke-route.ts";
import { upgradeOf } from "../chain/upgrades.ts";

/** Condition of a route that no rule produced: the thread ends. */
const NO_MATCH = "NO_MATCH";

/** The states whose route is not what the table says, with both routes. `tables`: the edges of each version, by hash;
 *  states of other versions are skipped. `clock`: used for the time limit. */
export async function verifyRoutes(
  tables: ReadonlyMap<string, readonly DescriptorEdge[]>,
  chain: Chain,
  context: ThreadContext,
  clock: { now: () => number } = performance,
): Promise<{ hash: string; message: string }[]> {
  const found: { hash: string; message: string }[] = [];
  // Grown one by one, as the engine saw them: the moderator keeps its projection of a growing list.
  const growing: ThreadContext["steps"] = [];
  const routed = chain.states.some(({ node }) => (node.payload.route?.condition ?? POKE) !== POKE);
  const limitMs = routesLimitMs(context.steps.length);
  const startedAt = clock.now();
  let edges = tables.get(chain.start.payload.hash);
  for (const { hash, node } of chain.states) {
    const upgrade = upgradeOf(node);
    if (upgrade !== null) {
      edges = tables.get(upgrade.to);
      continue;
    }
    const { route, role } = node.payload;
    if (edges !== undefined && route !== null && (routed || !isLonePoke(route, role))) {
      if (clock.now() - startedAt > limitMs) return [...found, { hash, message: slow(limitMs) }];
      const told = await mismatch(edges, { ...context, steps: growing }, { route, role });
      if (told !== null) found.push({ hash, message: told.message });
      if (told?.isLast === true) return found;
    }
    const step = context.steps[growing.length];
    if (step !== undefined) growing.push(step);
  }
  return found;
}

/** Many times what honest tables take; each further step adds a decision. */
function routesLimitMs(steps: number): number {
  return 30_000 + 50 * steps;
}

function slow(limitMs: number): string {
  return `its route was not evaluated: those before it took more than ${limitMs} ms in total`;
}

/** A workflow function written by hand records no routes, except on its poked steps. */
function isLonePoke(route: StepRoute, role: string): boolean {
  return route.condition === POKE && route.rule === null && route.to === role;
}

async function mismatch(
  edges: readonly DescriptorEdge[],
  context: ThreadContext,
  { route, role }: { route: StepRoute; role: string },
): Promise<{ message: string; isLast: boolean } | null> {
  if (route.to !== role) {
    return { message: `its role is ${role}, its route leads to ${route.to}`, isLast: false };
  }
  const recorded = `recorded ${routeText(route)}; the table now says`;
  try {
    const now = await routeNow(edges, context, route);
    return now === null ? null : { message: `${recorded} ${now}`, isLast: false };
  } catch (thrown) {
    const { message } = failureFrom(thrown, "MODERATOR_FAILED");
    const rest = "no route after it was evaluated";
    return { message: `${recorded} ${message}; ${rest}`, isLast: true };
  }
}

/** null when the table says the same. */
async function routeNow(
  edges: readonly DescriptorEdge[],
  context: ThreadContext,
  route: StepRoute,
): Promise<string | null> {
  const { from, to, rule, matched } = await pickRoute(edges, context, route.outcome);
  if (route.condition === ANSWER) {
    // An answered role comes where the table, after the same role, asked a person.
    const answered = to === SUSPEND && route.to === from && route.from === from;
    return answered ? null : `${to}, which asks nobody`;
  }
  const condition = matched?.condition ?? NO_MATCH;
  const same = from === route.from && to === route.to && rule === route.rule;
  if (!same || condition !== route.condition) return routeText({ from, to, condition, rule });
  if (route.promptFrom === "person") return null;
  const prompt = matched?.prompt == null ? null : await fillTemplate(matched.prompt, context);
  return prompt === route.prompt ? null : `another edge prompt: ${JSON.stringify(prompt)}`;
}

function routeText({ from, to, condition, rule }: Omit<StepRoute, "prompt">): string {
  return `${from} → ${to} (${condition}) by rule ${rule ?? "none"}`;
}
