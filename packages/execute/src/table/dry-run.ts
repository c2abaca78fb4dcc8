/** Follows a table with results that a person wrote, for as long as they last.
 *
 *  1. The descriptor is enough: no agent, no model and no code of the bundle runs, and nothing is stored.
 *  2. Results have to fit their role's schema; one that does not ends the trace, as it would end the thread.
 *  3. It ends after `maxSteps` at the latest, which exposes a table that goes in circles. */
import {
  evaluateResult,
  fillTemplate,
  type PickedRoute,
  pickRoute,
} from "@uncaged/workflow-moderator";
import {
  type AgentFault,
  type DescriptorEdge,
  END,
  type Failure,
  failureFrom,
  type JsonValue,
  type RoleStep,
  START,
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
  context: ThreadContext;
  faultsOf: FindMetaFaults;
  hand: Hand;
  route: DryRunRoute[];
  maxSteps: number;
};

async function follow(trace: Trace): Promise<DryRunEnd> {
  const { edges, context, route } = trace;
  while (true) {
    const from = context.steps.at(-1)?.role ?? START;
    try {
      const next = await routeAt(edges, context);
      const { to } = next;
      if (to === END || to === SUSPEND) {
        route.push({ ...next, round: null, stub: null });
        return to === END ? ended(from, next) : suspended(from, next);
      }
      const round = context.steps.length + 1;
      if (round > trace.maxSteps) return tooMany(from, trace.maxSteps);
      const turn = await trace.hand.next(to, context);
      const stub = turn === null ? null : shown(turn);
      route.push({ ...next, round, stub });
      if (turn === null) return outOfStubs(to, context);
      if (turn.kind === "meta" && trace.faultsOf(to, turn.meta).length > 0)
        return invalid(to, turn);
      context.steps.push(stepOf(to, turn, round));
      if (turn.kind === "fails" && (await pickRoute(edges, context)).matched === null)
        return unrouted(to, turn.outcome);
    } catch (thrown) {
      const { message } = failureFrom(thrown, "MODERATOR_FAILED");
      return { kind: "failed", role: from, message };
    }
  }
}

async function routeAt(
  edges: readonly DescriptorEdge[],
  context: ThreadContext,
): Promise<Pick<DryRunRoute, "from" | "to" | "rule" | "condition" | "prompt">> {
  const { from, to, rule, matched }: PickedRoute<DescriptorEdge> = await pickRoute(edges, context);
  const prompt = matched?.prompt == null ? null : await fillTemplate(matched.prompt, context);
  return { from, to, rule, condition: matched?.condition ?? "NO_MATCH", prompt };
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
    const from = context.steps.at(-1)?.role ?? START;
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
