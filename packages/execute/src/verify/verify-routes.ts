/** Evaluates every recorded route again, with the steps before it and the table of the version that the thread ran at
 *  the time.
 *
 *  Tables are untrusted. A single decision has a time limit; so that a thousand of them have one, too, the first
 *  failure is the last decision evaluated, and all of them together get `routesLimitMs`. */
import { fillTemplate, openGroup, type PickedRoute, pickRoute } from "@uncaged/workflow-moderator";
import {
  type DescriptorEdge,
  END,
  failure,
  failureFrom,
  isSameGroup,
  type StepGroup,
  type StepRoute,
  SUSPEND,
  type ThreadContext,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { ANSWER, MESSAGE } from "../chain/answer-directive.ts";
import { type Chain, isNote } from "../chain/chain.ts";
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
  let entered: EnteredGroup | null = null;
  for (const { hash, node } of chain.states) {
    const upgrade = upgradeOf(node);
    if (upgrade !== null) {
      edges = tables.get(upgrade.to);
      continue;
    }
    if (isNote({ node })) continue;
    const { route, role, group } = node.payload;
    if (group === undefined || !isSameGroup(group, entered?.group)) entered = null;
    if (edges !== undefined && route !== null && (routed || !isLonePoke(route, role))) {
      if (clock.now() - startedAt > limitMs) return [...found, { hash, message: slow(limitMs) }];
      const before = { ...context, steps: growing };
      let told: Mismatch | null;
      if (group === undefined) told = await mismatch(edges, before, { route, role });
      else {
        const at: EnteredGroup = entered ?? { group, picked: enter(edges, before, route) };
        entered = at;
        told = await memberMismatch(at.picked, { route, role, group });
      }
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

type Mismatch = { message: string; isLast: boolean };

type EnteredGroup = {
  group: StepGroup;
  /** What the table says of the steps before the group. */
  picked: Promise<PickedRoute<DescriptorEdge>>;
};

async function enter(
  edges: readonly DescriptorEdge[],
  context: ThreadContext,
  { outcome }: StepRoute,
): Promise<PickedRoute<DescriptorEdge>> {
  const open = missingMembers(edges, context);
  if (open !== null) throw new WorkflowError(failure("MODERATOR_FAILED", open, ""));
  return pickRoute(edges, context, outcome);
}

/** The rule that led into the group, and the member that it has at this place. */
async function memberMismatch(
  entered: Promise<PickedRoute<DescriptorEdge>>,
  step: { route: StepRoute; role: string; group: StepGroup },
): Promise<Mismatch | null> {
  const { route, role, group } = step;
  const place = `member ${group.index} of ${group.of} of the group ${group.name}`;
  const recorded = `recorded ${place} by ${routeText(route)}; the table now says`;
  try {
    const { from, to, rule, matched, members } = await entered;
    const condition = matched?.condition ?? NO_MATCH;
    const isSameRule = from === route.from && rule === route.rule && condition === route.condition;
    if (to !== group.name || !isSameRule)
      return { message: `${recorded} ${routeText({ from, to, condition, rule })}`, isLast: false };
    const member = members?.[group.index];
    if (members?.length !== group.of || member === undefined)
      return { message: `${recorded} ${members?.length ?? 0} members`, isLast: false };
    if (member.role !== role || route.to !== role)
      return { message: `${recorded} the role ${member.role}`, isLast: false };
    if (route.promptFrom === "person" || member.prompt === route.prompt) return null;
    const prompt = JSON.stringify(member.prompt);
    return { message: `${recorded} another prompt: ${prompt}`, isLast: false };
  } catch (thrown) {
    const { message } = failureFrom(thrown, "MODERATOR_FAILED");
    return { message: `${recorded} ${message}`, isLast: true };
  }
}

/** null: the last steps are of no group, or of one that has joined. */
function missingMembers(edges: readonly DescriptorEdge[], { steps }: ThreadContext): string | null {
  const open = openGroup(edges, steps);
  if (open === null) return null;
  return `the group ${open.name} has not joined: members ${open.missing.join(", ")} are missing`;
}

async function mismatch(
  edges: readonly DescriptorEdge[],
  context: ThreadContext,
  { route, role }: { route: StepRoute; role: string },
): Promise<Mismatch | null> {
  if (route.to !== role) {
    return { message: `its role is ${role}, its route leads to ${route.to}`, isLast: false };
  }
  const open = route.outcome === "limit" ? null : missingMembers(edges, context);
  if (open !== null) return { message: open, isLast: false };
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
  const picked = await pickRoute(edges, context, route.outcome);
  const { from, to, rule, matched, seen } = picked;
  if (route.condition === ANSWER) {
    // An answered role comes where the table, after the same role, asked a person.
    const answered = to === SUSPEND && route.to === from && route.from === from;
    return answered ? null : `${to}, which asks nobody`;
  }
  if (route.condition === MESSAGE) {
    // A worker goes on where the table, after the same role, ends it.
    const wentOn = to === END && route.to === from && route.from === from;
    return wentOn ? null : `${to}, which is not its end`;
  }
  const condition = matched?.condition ?? NO_MATCH;
  const same = from === route.from && to === route.to && rule === route.rule;
  if (!same || condition !== route.condition) return routeText({ from, to, condition, rule });
  if (route.promptFrom === "person") return null;
  const prompt = matched?.prompt == null ? null : await fillTemplate(matched.prompt, seen);
  return prompt === route.prompt ? null : `another edge prompt: ${JSON.stringify(prompt)}`;
}

function routeText({ from, to, condition, rule }: Omit<StepRoute, "prompt">): string {
  return `${from} → ${to} (${condition}) by rule ${rule ?? "none"}`;
}
