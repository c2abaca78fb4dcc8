/** Replays recorded threads against the table of another version of their workflow.
 *
 *  1. Each recorded route is evaluated again with the steps before it as they were recorded. After a thread's first
 *     difference, the results say what the table would do if the thread had got there anyway.
 *  2. A route differs when it leads to another role, or when the rules fail. Another rule, condition or edge prompt
 *     that leads to the same role is not a difference.
 *  3. The descriptor is enough: no code of any bundle runs. */
import { pickRoute, stateAfter } from "@uncaged/workflow-moderator";
import {
  type CasStore,
  type DescriptorEdge,
  END,
  failureFrom,
  isFinished,
  isPersonWait,
  type StepRoute,
  SUSPEND,
  suspensionOf,
  type ThreadContext,
  type ThreadRecord,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { ANSWER, MESSAGE } from "../chain/answer-directive.ts";
import { type Chain, endState, loadChain, roleStates } from "../chain/chain.ts";
import { POKE } from "../chain/poke-route.ts";
import type { NodeReader } from "../chain/read-node.ts";
import { threadContext } from "../chain/thread-context.ts";
import { type FindMetaFaults, metaFaultsBy } from "./meta-faults.ts";

export type RouteDifference = {
  /** Round that the route led to, 1-based; for an end or a question: the round that would have followed. */
  round: number;
  /** Role that it starts from, or `__start__`. */
  from: string;
  /** Role that it led to, `__end__` or `__suspend__`. */
  recorded: string;
  /** Where it would lead; null when the rules fail. */
  now: string | null;
  /** Index of the rule among those of `from`; null when none matched or the rules fail. */
  rule: number | null;
  /** Name of the condition, or why the rules fail. */
  because: string;
};

export type ThreadCheck = {
  threadId: string;
  status: ThreadRecord["status"];
  steps: number;
  /** All of the lists below are empty. */
  compatible: boolean;
  routes: RouteDifference[];
  /** Steps of roles that the version lacks. */
  removedRoles: { round: number; role: string }[];
  /** Steps whose meta does not fit the version's schema for their role. */
  metas: { round: number; role: string; path: string; message: string }[];
};

/** Throws for a damaged chain, and `DEFINITION_INVALID` for an invalid schema. */
export async function checkThread(
  cas: NodeReader,
  thread: ThreadRecord,
  descriptor: WorkflowDescriptor,
): Promise<ThreadCheck> {
  const chain = await loadChain(cas, thread);
  return checkChain(cas, { thread, chain, descriptor, asks: whereAsked(thread) });
}

/** The same for a part of a thread: the states of `chain`, whatever came after them. */
export async function checkChain(
  cas: Pick<CasStore, "get">,
  { thread, chain, descriptor, asks }: Checked,
): Promise<ThreadCheck> {
  const context = await threadContext(cas, thread, chain);
  const routes = await routeDifferences(descriptor.graph.edges, context, waysOf(chain, asks));
  const { removedRoles, metas } = stepFaults(context, descriptor, metaFaultsBy(descriptor));
  const compatible = routes.length + removedRoles.length + metas.length === 0;
  const { threadId, status } = thread;
  return {
    ...{ threadId, status, steps: context.steps.length, compatible },
    ...{ routes, removedRoles, metas },
  };
}

type Checked = {
  thread: Pick<ThreadRecord, "threadId" | "status" | "depth" | "bundleHash" | "startedAt">;
  chain: Chain;
  descriptor: WorkflowDescriptor;
  /** Where the thread went to ask a person after the last of its steps; null: nowhere. */
  asks: string | null;
};

/** `__suspend__`, also when the person has answered by now; the role that a person plays; null: it asks nobody. */
export function whereAsked(thread: ThreadRecord): string | null {
  if (isFinished(thread)) return null;
  const wait = suspensionOf(thread);
  if (wait !== null && isPersonWait(wait)) return wait.role;
  if (wait?.kind === "coordinator") return END;
  if (wait !== null && wait.kind !== "limit") return SUSPEND;
  return thread.pendingInput?.kind === "answer" ? SUSPEND : null;
}

/** The route that a thread took after so many steps. */
type Way = { after: number; to: string; outcome: StepRoute["outcome"] };

function waysOf(chain: Chain, asks: string | null): Way[] {
  const ways: Way[] = [];
  for (const [after, { node }] of roleStates(chain).entries()) {
    const { route } = node.payload;
    // Without a route the workflow function used no table; and a person's request is not the table's.
    if (route === null || (route.condition === POKE && route.rule === null)) continue;
    const { group } = node.payload;
    // A group is one way, that of its first member.
    if (group !== undefined && group.entry !== after) continue;
    const to = BEFORE_SAID.get(route.condition) ?? group?.name ?? route.to;
    ways.push({ after, to, outcome: route.outcome });
  }
  const after = roleStates(chain).length;
  const end = endState(chain)?.node.payload.route ?? null;
  if (end !== null) ways.push({ after, to: END, outcome: end.outcome });
  if (asks !== null) ways.push({ after, to: asks, outcome: undefined });
  return ways;
}

/** Where the table had led before somebody had the same role go on. */
const BEFORE_SAID: ReadonlyMap<string, string> = new Map([
  [ANSWER, SUSPEND],
  [MESSAGE, END],
]);

async function routeDifferences(
  edges: readonly DescriptorEdge[],
  context: ThreadContext,
  ways: readonly Way[],
): Promise<RouteDifference[]> {
  const found: RouteDifference[] = [];
  // Grown one by one: the moderator keeps its projection of a growing list.
  const growing: ThreadContext["steps"] = [];
  for (const { after, to: recorded, outcome } of ways) {
    growing.push(...context.steps.slice(growing.length, after));
    const from = stateAfter({ ...context, steps: growing });
    const where = { round: after + 1, from, recorded };
    try {
      const picked = await pickRoute(edges, { ...context, steps: growing }, outcome);
      if (picked.to === recorded) continue;
      const because = picked.matched?.condition ?? "no rule matches";
      found.push({ ...where, now: picked.to, rule: picked.rule, because });
    } catch (thrown) {
      const because = failureFrom(thrown, "MODERATOR_FAILED").message;
      found.push({ ...where, now: null, rule: null, because });
    }
  }
  return found;
}

function stepFaults(
  { steps }: ThreadContext,
  { roles }: WorkflowDescriptor,
  faultsOf: FindMetaFaults,
): Pick<ThreadCheck, "removedRoles" | "metas"> {
  const removedRoles: ThreadCheck["removedRoles"] = [];
  const metas: ThreadCheck["metas"] = [];
  for (const [index, { role, meta, outcome }] of steps.entries()) {
    const round = index + 1;
    if (!Object.hasOwn(roles, role)) removedRoles.push({ round, role });
    // A failed step has no meta of its role's shape.
    if (outcome !== undefined) continue;
    for (const fault of faultsOf(role, meta)) metas.push({ round, role, ...fault });
  }
  return { removedRoles, metas };
}
