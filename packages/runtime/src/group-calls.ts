/** A group that a rule leads to, as the engine runs it. */
import { type Ledger, type PickedMember, pickRoute, policyOf } from "@uncaged/workflow-moderator";
import type {
  DescriptorEdge,
  Group,
  MemberScope,
  ReachedLimit,
  RoleCall,
  RoleGroup,
  RoleRules,
  RoleStep,
  StepDirective,
  StepRoute,
  ThreadContext,
} from "@uncaged/workflow-protocol";
import type { RunRole } from "./bind-roles.ts";
import type { SessionBook } from "./session-book.ts";
import { withRetries } from "./with-retries.ts";

/** The members that a rule leads to. */
export type EnteredGroup = {
  group: Group;
  members: readonly PickedMember[];
  /** How the rule came to be taken; each member has its own prompt. */
  route: StepRoute;
};

export type GroupParts = {
  ctx: ThreadContext;
  runRole: RunRole;
  rules: ReadonlyMap<string, RoleRules>;
  sessions: SessionBook;
  ledger: Ledger;
  /** Adds a step to all of these. */
  note: (step: RoleStep) => void;
};

/** `limited`: the limit that kept a member from starting, if one did. */
export function groupCalls(
  { group, members, route }: EnteredGroup,
  parts: GroupParts,
): { request: RoleGroup; limited: () => ReachedLimit | null } {
  const { ctx, runRole, rules, sessions, ledger } = parts;
  // Members see the thread as it is now, whatever is added to it while they run.
  const before = { ...ctx, steps: [...ctx.steps] };
  const call = ({ role, item, prompt, location, agent, workspace }: PickedMember): RoleCall => {
    const member = { role, item, route: { ...route, to: role, prompt } };
    if (rules.get(role)?.person !== undefined)
      return { ...member, ask: questionTo(role, { prompt, condition: route.condition }) };
    return {
      ...member,
      location,
      agent,
      ...(workspace === undefined ? {} : { workspace }),
      rules: rules.get(role),
      ...(group.session === "role" ? { previousSession: () => sessions.lastOf(role) } : {}),
      run: (runtime) =>
        withRetries(runRole, before, { runtime, timeLeftMs: ledger.timeLeftMs(role) }),
    };
  };
  let reached: ReachedLimit | null = null;
  const { name, atOnce, join, onFault } = group;
  const request: RoleGroup = {
    name,
    ...(atOnce === undefined ? {} : { atOnce }),
    ...(join === undefined ? {} : { join }),
    ...(onFault === undefined ? {} : { onFault }),
    members: members.map(call),
    watch: {
      mayStart: ({ role }, underWay) => {
        reached = ledger.reached(
          role,
          underWay.map((each) => each.role),
        );
        return reached === null;
      },
      stored: parts.note,
    },
  };
  return { request, limited: () => reached };
}

/** What a person who plays a role is asked. */
export function questionTo(
  role: string,
  { prompt, condition }: Pick<StepRoute, "prompt" | "condition">,
): string {
  return prompt ?? `${role} has to decide (${condition}).`;
}

/** The scope of a member that is run alone, because a person asked for it; undefined: it is no member. */
export async function memberScope(
  edges: readonly DescriptorEdge[],
  ctx: ThreadContext,
  { group, route }: Pick<StepDirective, "group" | "route">,
): Promise<MemberScope | undefined> {
  if (group === undefined) return undefined;
  const { session = "own" } = policyOf(edges, group.name);
  if (route.rule === null) return { ...group, item: null, session };
  const { members } = await pickRoute(edges, ctx, route.outcome);
  return { ...group, item: members?.[group.index]?.item ?? null, session };
}
