/** The loop that every workflow made from a definition runs.
 *
 *  1. Who is next is asked of the moderator before every step, unless the engine asks for a certain first
 *     one; nothing is decided here.
 *  2. It keeps no state that the steps do not hold: given the steps so far, it goes on from there.
 *  3. What an agent gave is checked against the role's schema before it becomes a step.
 *  4. It reaches the engine through the lent runtime alone, so a bundle carries no engine. */
import { pickRoute } from "@uncaged/workflow-moderator";
import {
  type AdapterBinding,
  type DescriptorEdge,
  END,
  type EngineRuntime,
  type RoleMeta,
  type RoleOutput,
  type RoleRules,
  type RoleStep,
  type StepDirective,
  type StepRoute,
  SUSPEND,
  type ThreadContext,
  type WorkflowCompletion,
  type WorkflowDefinition,
  type WorkflowFn,
} from "@uncaged/workflow-protocol";
import { bindRoles, type PlayRole } from "./bind-roles.ts";
import { checkDefinition } from "./check-definition.ts";
import { edgesOf } from "./edges.ts";
import { recordRoute } from "./record-route.ts";
import { rulesOf } from "./role-rules.ts";
import { SessionBook } from "./session-book.ts";
import { storedStep } from "./stored-step.ts";
import { summaryOf } from "./summary.ts";

/** Binds agents to a definition. Throws `RULE_INVALID` for a broken definition, at once. */
export function createWorkflow<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
  binding: AdapterBinding<M>,
): WorkflowFn {
  checkDefinition(definition);
  const edges = edgesOf(definition);
  const play = bindRoles(definition, binding);
  const rules = rulesOf(definition);
  return (ctx, runtime) =>
    drive({ edges, play, rules, runtime }, { ...ctx, steps: [...ctx.steps] });
}

type Drive = {
  edges: readonly DescriptorEdge[];
  play: PlayRole;
  rules: ReadonlyMap<string, RoleRules>;
  runtime: EngineRuntime;
};

async function* drive(
  { edges, play, rules, runtime }: Drive,
  ctx: ThreadContext,
): AsyncGenerator<RoleOutput, WorkflowCompletion, RoleStep | undefined> {
  const sessions = new SessionBook(ctx.steps);
  let directive = runtime.directive;
  while (true) {
    runtime.signal.throwIfAborted();
    const next = directive ?? (await decide(edges, ctx, sessions));
    directive = null;
    const role = next.route.to;
    if (role === END) return completion(ctx, next.route);
    if (role === SUSPEND) return suspension(next.route);
    const round = ctx.steps.length + 1;
    const output = await play(ctx, runtime.enter({ role, round, ...next, rules: rules.get(role) }));
    const stored = (yield output) ?? (await storedStep(runtime.cas, output));
    ctx.steps.push(stored);
    sessions.note(stored);
  }
}

async function decide(
  edges: readonly DescriptorEdge[],
  ctx: ThreadContext,
  sessions: SessionBook,
): Promise<StepDirective> {
  const recorded = await recordRoute(await pickRoute(edges, ctx), ctx);
  return { ...recorded, previousSession: sessions.lastOf(recorded.route.to), agent: null };
}

function completion(ctx: ThreadContext, route: StepRoute): WorkflowCompletion {
  return { returnCode: 0, summary: summaryOf(ctx.steps, route), route };
}

/** The question is put on behalf of the role that ran last: it gets the answer. */
function suspension(route: StepRoute): WorkflowCompletion {
  const message = route.prompt ?? `${route.from} waits for an answer (${route.condition}).`;
  return { suspend: { role: route.from, message }, route };
}
