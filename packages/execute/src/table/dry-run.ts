/** Follows a table with results that a person wrote, for as long as they last.
 *
 *  1. The descriptor is enough: no agent, no model and no code of the bundle runs, and nothing is stored.
 *  2. Results have to fit their role's schema; one that does not ends the trace, as it would end the thread.
 *  3. It ends after `maxSteps` at the latest, which exposes a table that goes in circles. */
import {
  evaluateResult,
  fillTemplate,
  GroupProgress,
  groupFault,
  type PickedMember,
  type PickedRoute,
  pickRoute,
  stateAfter,
} from "@uncaged/workflow-moderator";
import {
  type AgentFault,
  agentRoles,
  type DescriptorEdge,
  END,
  type Failure,
  failureFrom,
  type JsonValue,
  type RoleStep,
  START,
  type StepGroup,
  SUSPEND,
  type ThreadContext,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { type FindMetaFaults, metaFaultsBy } from "./meta-faults.ts";
import { type PlacedTurn, type Stubs, turnsIn } from "./parse-stubs.ts";

export type DryRunRoute = {
  /** Round that the role would run in, 1-based; null for an end or a question. */
  round: number | null;
  from: string;
  to: string;
  /** Index of the rule among those of `from`; null when none matched. */
  rule: number | null;
  /** Name of the condition, `FALLBACK` or `NO_MATCH`. */
  condition: string;
  /** The edge prompt, filled in; for a question, the question. */
  prompt: string | null;
  /** What the role returned, or how it failed; null for an end or a question, and where the stubs run out. */
  stub: { place: string; meta: object } | { place: string; outcome: AgentFault } | null;
  /** Which member of which group it is; left out: of none. */
  group?: StepGroup;
};

export type DryRunEnd = {
  /** `ended`, `suspended`: as the table says. `failed`: a role failed and no rule handles that, or the rules themselves
   *  failed. `out_of_stubs`, `stub_invalid`: the stubs do not lead any further. `max_steps`: the limit was reached. */
  kind: "ended" | "suspended" | "failed" | "out_of_stubs" | "stub_invalid" | "max_steps";
  /** Role where it stopped, or the last one. */
  role: string;
  message: string;
};

export type DryRun = {
  route: DryRunRoute[];
  end: DryRunEnd;
  /** Stubs that do not fit the schema of their role, or whose role does not exist, including stubs that were not
   *  reached. */
  faults: { place: string; message: string }[];
  /** Stubs that were not reached, by position. */
  unused: string[];
  /** What the workflow returns after these steps; left out when it has no `result` or the trace did not end. */
  result?: JsonValue;
};

export async function dryRun(
  descriptor: WorkflowDescriptor,
  opts: { stubs: Stubs; prompt: string; maxSteps: number },
): Promise<DryRun> {
  const faultsOf = metaFaultsBy(descriptor);
  const trace: Trace = {
    edges: descriptor.graph.edges,
    agents: new Set(agentRoles(descriptor)),
    context: newContext(opts.prompt),
    faultsOf,
    hand: handOf(opts.stubs),
    route: [],
    maxSteps: opts.maxSteps,
  };
  const followed = await follow(trace);
  const result =
    followed.kind === "ended" && descriptor.result !== undefined
      ? await evaluateResult(descriptor.result, trace.context)
      : null;
  const { used } = trace.hand;
  return {
    route: trace.route,
    end: result?.ok === false ? noResult(followed.role, result.error) : followed,
    ...(result?.ok === true ? { result: result.value } : {}),
    faults: stubFaults(opts.stubs, descriptor, faultsOf),
    unused: turnsIn(opts.stubs).flatMap(({ turn }) => (used.has(turn.place) ? [] : [turn.place])),
  };
}

type Trace = {
  edges: readonly DescriptorEdge[];
  /** Roles that agents play. */
  agents: ReadonlySet<string>;
  context: ThreadContext;
  faultsOf: FindMetaFaults;
  hand: Hand;
  route: DryRunRoute[];
  maxSteps: number;
};

async function follow(trace: Trace): Promise<DryRunEnd> {
  const { edges, context, route } = trace;
  while (true) {
    const from = stateAfter(context);
    try {
      const next = await routeAt(edges, context);
      if (next.members !== null) {
        const stopped = await followGroup(trace, { ...next, members: next.members });
        if (stopped !== null) return stopped;
        continue;
      }
      const { members: _none, matched: _rule, ...way } = next;
      const { to } = way;
      if (to === END || to === SUSPEND) {
        route.push({ ...way, round: null, stub: null });
        return to === END ? ended(from, way) : suspended(from, way);
      }
      const stopped = await followStep(trace, way, { role: to, seen: context });
      if (stopped !== null) return stopped;
      const failed = context.steps.at(-1)?.outcome;
      if (failed !== undefined && (await pickRoute(edges, context)).matched === null)
        return unrouted(to, failed);
    } catch (thrown) {
      const { message } = failureFrom(thrown, "MODERATOR_FAILED");
      return { kind: "failed", role: from, message };
    }
  }
}

type Way = Pick<DryRunRoute, "from" | "to" | "rule" | "condition" | "prompt">;

/** Adds the step of one role; what keeps it from being made otherwise. `seen`: the thread as the role sees it. */
async function followStep(
  trace: Trace,
  way: Way,
  { role, seen, group }: { role: string; seen: ThreadContext; group?: StepGroup },
): Promise<DryRunEnd | null> {
  const { context, route } = trace;
  const round = context.steps.length + 1;
  if (round > trace.maxSteps) return tooMany(stateAfter(context), trace.maxSteps);
  const turn = await trace.hand.next(role, seen);
  const stub = turn === null ? null : shown(turn);
  const place = group === undefined ? {} : { group };
  route.push({ ...way, round, stub, ...place });
  if (turn === null) return trace.agents.has(role) ? outOfStubs(role, context) : asked(role, way);
  if (turn.kind === "meta" && trace.faultsOf(role, turn.meta).length > 0)
    return invalid(role, turn);
  context.steps.push({ ...stepOf(role, turn, round), ...place });
  return null;
}

/** Members play in declared order, until the group has joined. */
async function followGroup(
  trace: Trace,
  next: Way & { members: readonly PickedMember[]; matched: DescriptorEdge | null },
): Promise<DryRunEnd | null> {
  const { context, edges } = trace;
  const { members, matched, ...way } = next;
  const seen = { ...context, steps: [...context.steps] };
  const entry = seen.steps.length;
  const progress = new GroupProgress(members.length, matched?.group ?? {});
  for (const [index, { role, prompt }] of members.entries()) {
    if (progress.hasJoined) break;
    const group = { name: way.to, entry, index, of: members.length };
    const stopped = await followStep(trace, { ...way, to: role, prompt }, { role, seen, group });
    if (stopped !== null) return stopped;
    const step = context.steps.at(-1);
    if (step !== undefined) progress.note({ ...step, group });
  }
  const fault = groupFault(edges, context.steps);
  if (fault?.outcome === undefined || (await pickRoute(edges, context)).matched !== null)
    return null;
  return unrouted(fault.role, fault.outcome);
}

async function routeAt(
  edges: readonly DescriptorEdge[],
  context: ThreadContext,
): Promise<Way & Pick<PickedRoute<DescriptorEdge>, "members" | "matched">> {
  const { from, to, rule, matched, members, seen } = await pickRoute(edges, context);
  const prompt = matched?.prompt == null ? null : await fillTemplate(matched.prompt, seen);
  return { from, to, rule, condition: matched?.condition ?? "NO_MATCH", prompt, members, matched };
}

/** Hands out the stubs, and remembers which were used. */
type Hand = {
  next: (role: string, context: ThreadContext) => Promise<PlacedTurn | null>;
  used: ReadonlySet<string>;
};

function handOf(stubs: Stubs): Hand {
  const used = new Set<string>();
  const rounds = new Map<string, number>();
  const next = async (role: string, context: ThreadContext): Promise<PlacedTurn | null> => {
    const given = stubs.get(role);
    if (given === undefined) return null;
    if (given.kind === "turns") {
      const round = rounds.get(role) ?? 0;
      rounds.set(role, round + 1);
      return given.turns[round] ?? null;
    }
    const from = stateAfter(context);
    const rules = given.rules.map(({ when, turn }) => ({ from, to: turn.place, when, turn }));
    // The rules of a stub are asked whatever the step before returned.
    return (await pickRoute(rules, context, "ok")).matched?.turn ?? null;
  };
  return {
    used,
    async next(role, context) {
      const turn = await next(role, context);
      if (turn !== null) used.add(turn.place);
      return turn;
    },
  };
}

function newContext(prompt: string): ThreadContext {
  return {
    threadId: "0".repeat(26),
    depth: 0,
    bundleHash: NO_HASH,
    start: { role: START, content: prompt, meta: {}, timestamp: 0, parentState: null },
    steps: [],
  };
}

const NO_HASH = "0".repeat(13);

/** Its time is its round. A failed step has the same shape as in a real thread. */
function stepOf(role: string, turn: PlacedTurn, round: number): RoleStep {
  const step = { role, contentHash: NO_HASH, refs: [], timestamp: round };
  if (turn.kind === "meta") return { ...step, meta: turn.meta, childThread: null, run: null };
  const { outcome } = turn;
  return { ...step, meta: { outcome, reason: "stubbed" }, childThread: null, run: null, outcome };
}

function shown(turn: PlacedTurn): DryRunRoute["stub"] {
  const { place } = turn;
  return turn.kind === "meta" ? { place, meta: turn.meta } : { place, outcome: turn.outcome };
}

function stubFaults(
  stubs: Stubs,
  { roles }: WorkflowDescriptor,
  faultsOf: FindMetaFaults,
): DryRun["faults"] {
  const strangers = [...stubs.keys()].filter((role) => !Object.hasOwn(roles, role));
  const known = Object.keys(roles).join(", ");
  return [
    ...strangers.map((role) => ({ place: role, message: `no such role; there are: ${known}` })),
    ...turnsIn(stubs).flatMap(({ role, turn }) =>
      turn.kind === "fails"
        ? []
        : faultsOf(role, turn.meta).map(({ path, message }) => ({
            place:
              path === "" || path.startsWith("[")
                ? `${turn.place}${path}`
                : `${turn.place}.${path}`,
            message,
          })),
    ),
  ];
}

function ended(role: string, { condition }: { condition: string }): DryRunEnd {
  return { kind: "ended", role, message: `the thread ends after ${role} (${condition})` };
}

/** The thread would complete, without its result. */
function noResult(role: string, { message }: Failure): DryRunEnd {
  return { kind: "failed", role, message };
}

function suspended(role: string, { prompt }: { prompt: string | null }): DryRunEnd {
  const message = prompt ?? `${role} waits for an answer`;
  return { kind: "suspended", role, message };
}

/** A person without a stub is asked, as in a real thread. */
function asked(role: string, { prompt }: { prompt: string | null }): DryRunEnd {
  return { kind: "suspended", role, message: prompt ?? `a person is to play ${role}` };
}

function outOfStubs(role: string, { steps }: ThreadContext): DryRunEnd {
  const played = steps.filter((step) => step.role === role).length;
  const times = played === 1 ? "once" : `${played} times`;
  const message =
    played === 0
      ? `${role} is next, but no stub is left for it`
      : `${role} is next again after ${times}, but no stub is left for it`;
  return { kind: "out_of_stubs", role, message };
}

function invalid(role: string, { place }: PlacedTurn): DryRunEnd {
  const message = `${place} does not fit the schema of ${role}: the thread would fail here`;
  return { kind: "stub_invalid", role, message };
}

function unrouted(role: string, outcome: AgentFault): DryRunEnd {
  const message = `${role} fails (${outcome}) and no rule handles that: the thread would fail here`;
  return { kind: "failed", role, message };
}

function tooMany(role: string, maxSteps: number): DryRunEnd {
  return { kind: "max_steps", role, message: `no end after ${maxSteps} steps` };
}
