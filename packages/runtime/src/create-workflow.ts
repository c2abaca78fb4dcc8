/** The loop that every workflow made from a definition runs.
 *
 *  1. The moderator decides who is next, before every step, unless the engine asks for a particular first step;
 *     nothing is decided here.
 *  2. It has no state beyond the steps: given the steps so far, it continues from there.
 *  3. An agent's result is checked against the role's schema before it becomes a step.
 *  4. A failed role becomes a step when the table has a rule for that outcome; otherwise the thread fails.
 *  5. Before a step that a limit forbids, the rules for `limit` are tried in place of the others; if there are none,
 *     the thread waits for a person to raise the limit. Limits do not keep a person from being asked.
 *  6. It reaches the engine only through the runtime it is lent, so a bundle contains no engine. */
import { pickRoute } from "@uncaged/workflow-moderator";
import {
  type AdapterBinding,
  type DescriptorEdge,
  END,
  type EngineRuntime,
  type Limits,
  type ReachedLimit,
  type RoleMeta,
  type RoleOutput,
  type RoleRules,
  type RoleStep,
  START,
  type StepDirective,
  type StepRoute,
  SUSPEND,
  type ThreadContext,
  type WorkflowCompletion,
  type WorkflowDefinition,
  type WorkflowFn,
} from "@uncaged/workflow-protocol";
import { bindRoles, type RunRole } from "./bind-roles.ts";
import { checkBinding } from "./check-binding.ts";
import { checkDefinition } from "./check-definition.ts";
import { edgesOf } from "./edges.ts";
import { Ledger, reachedInWords } from "./ledger.ts";
import { recordRoute } from "./record-route.ts";
import { rulesOf, withLimits } from "./role-rules.ts";
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
): AsyncGenerator<RoleOutput, WorkflowCompletion, RoleStep | undefined> {
  const sessions = new SessionBook(ctx.steps);
  const { roles: ofRoles = {}, ...ofThread } = runtime.limits ?? {};
  const bounds = { thread: { ...limits, ...ofThread }, roles: withLimits(rules, ofRoles) };
  const ledger = new Ledger(bounds, ctx.steps, runtime.unrecorded);
  let directive = runtime.directive;
  while (true) {
    runtime.signal.throwIfAborted();
    // A person's request is carried out whatever the limits say.
    const next = directive ?? (await decide({ edges, ctx, rules, sessions, ledger }));
    directive = null;
    if ("limit" in next) return next.limit;
    const role = next.route.to;
    if (role === END) return completion(ctx, next.route);
    if (role === SUSPEND) return suspension(next.route);
    if (isPerson(rules, role)) return askPerson(next.route);
    const round = ctx.steps.length + 1;
    const output = await runOrRoute(ctx, {
      edges,
      runRole,
      entered: runtime.enter({ role, round, ...next, rules: rules.get(role) }),
      timeLeftMs: ledger.timeLeftMs(role),
    });
    const stored = (yield output) ?? (await storedStep(runtime.cas, output));
    ctx.steps.push(stored);
    sessions.note(stored);
    ledger.note(stored);
  }
}

type Decision = {
  edges: readonly DescriptorEdge[];
  ctx: ThreadContext;
  rules: ReadonlyMap<string, RoleRules>;
  sessions: SessionBook;
  ledger: Ledger;
};

async function decide({
  edges,
  ctx,
  rules,
  sessions,
  ledger,
}: Decision): Promise<StepDirective | { limit: WorkflowCompletion }> {
  let picked = await pickRoute(edges, ctx);
  const runs = picked.to !== END && picked.to !== SUSPEND && !isPerson(rules, picked.to);
  const limit = runs ? ledger.reached(picked.to) : null;
  if (limit !== null) {
    picked = await pickRoute(edges, ctx, "limit");
    if (picked.matched === null || ledger.isBeyondLimits()) return { limit: atLimit(ctx, limit) };
  }
  const recorded = await recordRoute(picked, ctx);
  if (limit !== null) recorded.route.outcome = "limit";
  return { ...recorded, previousSession: sessions.lastOf(recorded.route.to), agent: null };
}

function completion(ctx: ThreadContext, route: StepRoute): WorkflowCompletion {
  return { returnCode: 0, summary: summaryOf(ctx.steps, route), route };
}

/** The thread stops where it is; the last role has nothing to answer. */
function atLimit(ctx: ThreadContext, limit: ReachedLimit): WorkflowCompletion {
  const role = ctx.steps.at(-1)?.role ?? START;
  const message = `${reachedInWords(limit)}; raise the limit to continue`;
  return { suspend: { role, message, kind: "limit", limit } };
}

/** The person's answer is the role's step: the engine asks for it and stores it. */
function askPerson(route: StepRoute): WorkflowCompletion {
  const message = route.prompt ?? `${route.to} is to decide (${route.condition}).`;
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
