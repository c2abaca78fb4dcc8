/** The loop that every workflow made from a definition runs.
 *
 *  1. The moderator decides who is next, before every step, unless the engine asks for a particular first step;
 *     nothing is decided here.
 *  2. It has no state beyond the steps: given the steps so far, it continues from there.
 *  3. An agent's result is checked against the role's schema before it becomes a step.
 *  4. A failed role becomes a step when the table has a rule for that outcome; otherwise the thread fails.
 *  5. Before a step that a limit forbids, the rules for `limit` are tried in place of the others; if there are none,
 *     the thread waits for a person to raise the limit. Limits do not keep a person from being asked.
 *  6. A group is yielded as a whole: the engine runs its members, and the table is asked again when it has joined.
 *  7. It reaches the engine only through the runtime it is lent, so a bundle contains no engine. */
import {
  groupFault,
  Ledger,
  limitBefore,
  limitWait,
  openGroup,
  pickRoute,
  policyOf,
  withLimits,
} from "@uncaged/workflow-moderator";
import {
  type AdapterBinding,
  agentError,
  type DescriptorEdge,
  END,
  type EngineRuntime,
  type Limits,
  type ReachedLimit,
  type RoleMeta,
  type RoleRules,
  type RoleStep,
  type StepDirective,
  type StepGroup,
  type StepRoute,
  SUSPEND,
  type ThreadContext,
  type WorkflowCompletion,
  type WorkflowDefinition,
  type WorkflowFn,
  type WorkflowYield,
  type YieldAnswer,
} from "@uncaged/workflow-protocol";
import { bindRoles, type RunRole } from "./bind-roles.ts";
import { checkBinding } from "./check-binding.ts";
import { checkDefinition } from "./check-definition.ts";
import { edgesOf } from "./edges.ts";
import { type EnteredGroup, groupCalls, memberScope, questionTo } from "./group-calls.ts";
import { recordRoute } from "./record-route.ts";
import { rulesOf } from "./role-rules.ts";
import { runOrRoute } from "./run-or-route.ts";
import { SessionBook } from "./session-book.ts";
import { storedStep } from "./stored-step.ts";
import { summaryOf } from "./summary.ts";

/** Binds agents to a definition. Throws `RULE_INVALID`, at once, for a broken definition and for an override of a
 *  role that does not exist. */
export function createWorkflow<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
  binding: AdapterBinding<NoInfer<M>>,
): WorkflowFn {
  checkDefinition(definition);
  checkBinding(definition, binding);
  const edges = edgesOf(definition);
  const runRole = bindRoles(definition, binding);
  const rules = rulesOf(definition);
  const limits = definition.limits ?? {};
  return (ctx, runtime) =>
    drive({ edges, runRole, rules, limits, runtime }, { ...ctx, steps: [...ctx.steps] });
}

type Drive = {
  edges: readonly DescriptorEdge[];
  runRole: RunRole;
  rules: ReadonlyMap<string, RoleRules>;
  limits: Limits;
  runtime: EngineRuntime;
};

async function* drive(
  { edges, runRole, rules, limits, runtime }: Drive,
  ctx: ThreadContext,
): AsyncGenerator<WorkflowYield, WorkflowCompletion, YieldAnswer> {
  const continues = (group: string): boolean => policyOf(edges, group).session === "role";
  const sessions = new SessionBook(ctx.steps, continues);
  const { roles: ofRoles = {}, ...ofThread } = runtime.limits ?? {};
  const bounds = { thread: { ...limits, ...ofThread }, roles: withLimits(rules, ofRoles) };
  const ledger = new Ledger(bounds, ctx.steps, runtime.unrecorded);
  const note = (step: RoleStep): void => {
    ctx.steps.push(step);
    sessions.note(step);
    ledger.note(step);
  };
  let directive = runtime.directive;
  let limited: ReachedLimit | null = null;
  let resumes = runtime.resumes?.name ?? null;
  while (true) {
    runtime.signal.throwIfAborted();
    // A person's request is carried out whatever the limits say.
    const next =
      directive ?? (await decide({ edges, ctx, rules, sessions, ledger, limited, resumes }));
    directive = null;
    limited = null;
    resumes = null;
    if ("limit" in next) return next.limit;
    if ("members" in next) {
      const calls = groupCalls(next, { ctx, runRole, rules, sessions, ledger, note });
      yield calls.request;
      limited = openGroup(edges, ctx.steps) === null ? null : calls.limited();
      continue;
    }
    const role = next.route.to;
    if (role === END) return completion(ctx, next.route);
    if (role === SUSPEND) return suspension(next.route);
    if (isPerson(rules, role)) return askPerson(next.route);
    const round = ctx.steps.length + 1;
    const seen = next.group === undefined ? ctx : beforeGroup(ctx, next.group);
    const group = await memberScope(edges, seen, next);
    const output = await runOrRoute(seen, {
      edges,
      runRole,
      entered: runtime.enter({ role, round, ...next, group, rules: rules.get(role) }),
      timeLeftMs: ledger.timeLeftMs(role),
    });
    const answer = yield output;
    note(isStep(answer) ? answer : await storedStep(runtime.cas, output));
  }
}

/** What a member of a group sees. */
function beforeGroup(ctx: ThreadContext, { entry }: StepGroup): ThreadContext {
  return { ...ctx, steps: ctx.steps.slice(0, entry) };
}

/** A plain `for await` answers with nothing. */
function isStep(answer: YieldAnswer): answer is RoleStep {
  return answer !== undefined && !Array.isArray(answer);
}

type Decision = {
  edges: readonly DescriptorEdge[];
  ctx: ThreadContext;
  rules: ReadonlyMap<string, RoleRules>;
  sessions: SessionBook;
  ledger: Ledger;
  /** The limit that the members of the last group ran into; null: none. */
  limited: ReachedLimit | null;
  /** Name of the group that is to be yielded again: its members ask for themselves. */
  resumes: string | null;
};

async function decide({
  edges,
  ctx,
  rules,
  sessions,
  ledger,
  limited,
  resumes,
}: Decision): Promise<StepDirective | EnteredGroup | { limit: WorkflowCompletion }> {
  const asked = limited === null ? await pickRoute(edges, ctx) : null;
  if (asked?.matched === null) throwFaultOfGroup(edges, ctx);
  const limit =
    asked === null ? limited : asked.to === resumes ? null : limitBefore(asked, rules, ledger);
  const picked = asked !== null && limit === null ? asked : await pickRoute(edges, ctx, "limit");
  if (limit !== null && (picked.matched === null || ledger.isBeyondLimits())) {
    return { limit: { suspend: limitWait(ctx.steps, limit) } };
  }
  const { route, location } = await recordRoute(picked);
  if (limit !== null) route.outcome = "limit";
  const { members, matched } = picked;
  if (members !== null && matched?.group !== undefined) {
    return { group: matched.group, members, route };
  }
  return { route, location, previousSession: sessions.lastOf(route.to), agent: null };
}

/** A member whose failure ended its group, and that no rule is for, fails the thread, as a role does. */
function throwFaultOfGroup(edges: readonly DescriptorEdge[], { steps }: ThreadContext): void {
  const fault = groupFault(edges, steps);
  if (fault?.outcome === undefined) return;
  const { role, outcome, meta } = fault;
  const message = `${role}: ${String(meta.reason)}`;
  const hint = `add a rule for \`${outcome}\` to the group, or let it collect faults`;
  throw agentError(outcome, { message, hint, run: null });
}

function completion(ctx: ThreadContext, route: StepRoute): WorkflowCompletion {
  return { returnCode: 0, summary: summaryOf(ctx.steps, route), route };
}

/** The person's answer is the role's step: the engine asks for it and stores it. */
function askPerson(route: StepRoute): WorkflowCompletion {
  const message = questionTo(route.to, route);
  return { suspend: { kind: "person", role: route.to, message }, route };
}

function isPerson(rules: ReadonlyMap<string, RoleRules>, role: string): boolean {
  return rules.get(role)?.person !== undefined;
}

/** The question comes from the role that ran last, so that role gets the answer. */
function suspension(route: StepRoute): WorkflowCompletion {
  const message = route.prompt ?? `${route.from} waits for an answer (${route.condition}).`;
  return { suspend: { role: route.from, message }, route };
}
