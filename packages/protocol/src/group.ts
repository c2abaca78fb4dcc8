/** Several members side by side, and one decision when they have joined. */

import type { MemberWorkspace } from "./workspace-mode.ts";

/** When the group has joined: after all members, after the first success, or after that many successes; at the latest
 *  when no member is left. */
export type GroupJoin = "all" | "any" | { atLeast: number };

/** The part of a group that is needed to read its steps: the same in every rule that leads to a group of this name. */
export type GroupPolicy = {
  /** Default: `all`. */
  join?: GroupJoin;
  /** `collect`: a member that failed is a result like others. `stop`: the first failure ends the others, and the rules
   *  of the group for that outcome are tried. Default: `collect`. */
  onFault?: "collect" | "stop";
  /** `own`: each member opens its own session. `role`: members continue their role's session, one after the
   *  other. Default: `own`. */
  session?: "own" | "role";
};

export type GroupMember<RoleName extends string = string> = {
  role: RoleName;
  /** Handed to the member; `{{ jsonata }}` is filled in from the thread as it was when the group began. */
  prompt?: string;
  /** Working directory, relative to the thread's; `{{ jsonata }}` is filled in. */
  location?: string;
  /** Name in `config.agents`. Default: as for other steps of the role. */
  agent?: string;
  /** Default: `shared`. */
  workspace?: MemberWorkspace;
};

/** Where a rule leads in place of a role. */
export type Group<RoleName extends string = string> = GroupPolicy & {
  /** The key in the table whose rules are tried once the group has joined. */
  name: string;
  /** How many members run at the same time. Default: one less than there are processors, 16 at most. */
  atOnce?: number;
} & (
    | (GroupMember<RoleName> & {
        /** JSONata: one member for each item that it returns, 1,000 at most. */
        each: string;
        /** The name of the item in the member's expressions. Default: `item`. */
        as?: string;
        members?: never;
      })
    | {
        members: readonly GroupMember<RoleName>[];
        each?: never;
        as?: never;
        role?: never;
        prompt?: never;
        location?: never;
        agent?: never;
        workspace?: never;
      }
  );

/** Which member of which group a step is. */
export type StepGroup = {
  name: string;
  /** Steps of the thread before the group began. */
  entry: number;
  /** From 0, in declared order. */
  index: number;
  /** Number of members that the group has. */
  of: number;
};

type Place = Pick<StepGroup, "name" | "entry">;

export const MAX_GROUP_MEMBERS = 1_000;
export const MAX_AT_ONCE = 16;
export const DEFAULT_ITEM_NAME = "item";

/** The members that are declared; one for all items of `each`. */
export function membersIn(group: Group): readonly GroupMember[] {
  return group.members ?? [group];
}

/** Whether these are members of the same group, entered at the same place. */
export function isSameGroup(a: Place | undefined, b: Place | undefined): boolean {
  return a !== undefined && b !== undefined && a.name === b.name && a.entry === b.entry;
}

/** The steps before the group whose members are the last ones; all of them when the last step is not a member. */
export function stepsBeforeGroup<S extends { group?: StepGroup }>(steps: readonly S[]): S[] {
  const last = steps.at(-1)?.group;
  return steps.slice(0, last?.entry ?? steps.length);
}
