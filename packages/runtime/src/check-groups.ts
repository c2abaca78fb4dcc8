/** Checks the groups that rules lead to: their names, members, expressions and numbers. */
import { checkRule, checkTemplate } from "@uncaged/workflow-moderator";
import {
  type Group,
  MAX_GROUP_MEMBERS,
  MEMBER_WORKSPACES,
  membersIn,
  roleNameFault,
  type Transition,
} from "@uncaged/workflow-protocol";

/** Group name → the rules that lead to it, each with its place: `table.planner[0].group`. */
export type Groups = ReadonlyMap<string, readonly { place: string; group: Group }[]>;

export function groupsIn(table: ReadonlyMap<string, readonly Transition[]>): Groups {
  const groups = new Map<string, { place: string; group: Group }[]>();
  for (const [from, transitions] of table) {
    for (const [at, { group }] of transitions.entries()) {
      if (group === undefined) continue;
      const known = groups.get(group.name) ?? [];
      groups.set(group.name, [...known, { place: `table.${from}[${at}].group`, group }]);
    }
  }
  return groups;
}

/** Roles that run only as members of groups: no rule is tried after them, so they need no entry in the table. */
export function membersOnly(
  table: ReadonlyMap<string, readonly Transition[]>,
  groups: Groups,
): ReadonlySet<string> {
  const alone = new Set([...table.values()].flat().map(({ role }) => role));
  const members = [...groups.values()].flat().flatMap(({ group }) => membersIn(group));
  return new Set(members.map(({ role }) => role).filter((role) => !alone.has(role)));
}

/** `people`: the roles that people play. */
export function* groupFaults(
  groups: Groups,
  { roles, people }: Pick<Where, "roles" | "people">,
): Generator<string> {
  for (const [name, places] of groups) {
    const [first] = places;
    for (const { place, group } of places) {
      yield* nameFaults(name, { place, roles, people });
      yield* memberFaults(group, { place, roles, people });
      yield* numberFaults(group, place);
      if (first !== undefined && policyIn(group) !== policyIn(first.group)) {
        yield `${place}: differs from ${first.place} in \`join\`, \`onFault\` or \`session\``;
      }
    }
  }
}

type Where = { place: string; roles: ReadonlySet<string>; people: ReadonlySet<string> };

function* nameFaults(name: string, { place, roles }: Where): Generator<string> {
  const fault = roleNameFault(name);
  if (fault !== null) yield `${place}.name: ${fault}`;
  if (roles.has(name)) yield `${place}.name: there is a role of the name "${name}"`;
}

function* memberFaults(group: Group, { place, roles, people }: Where): Generator<string> {
  if (group.each === undefined) {
    if (group.members.length === 0) yield `${place}.members: is empty`;
    if (group.members.length > MAX_GROUP_MEMBERS) {
      yield `${place}.members: ${group.members.length} are too many, at most ${MAX_GROUP_MEMBERS} can run`;
    }
  } else {
    const fault = checkRule(group.each);
    if (fault !== null) yield `${place}.each: ${fault.message}`;
    if (group.as !== undefined) yield* itemNameFaults(group.as, `${place}.as`);
  }
  for (const [at, member] of membersIn(group).entries()) {
    const where = group.each === undefined ? `${place}.members[${at}]` : place;
    if (!roles.has(member.role)) yield `${where}.role: there is no role "${member.role}"`;
    if (people.has(member.role) && member.agent !== undefined)
      yield `${where}.agent: a person plays "${member.role}"`;
    const { workspace } = member;
    if (workspace !== undefined && !MEMBER_WORKSPACES.includes(workspace))
      yield `${where}.workspace: "${workspace}" is none of ${MEMBER_WORKSPACES.join(", ")}`;
    if (people.has(member.role) && workspace !== undefined)
      yield `${where}.workspace: a person plays "${member.role}"`;
    if (member.agent === "") yield `${where}.agent: is empty`;
    for (const field of ["prompt", "location"] as const) {
      const template = member[field];
      const fault = template === undefined ? null : checkTemplate(template);
      if (fault !== null) yield `${where}.${field}: ${fault.message}`;
    }
  }
}

function* itemNameFaults(name: string, place: string): Generator<string> {
  if (!/^[A-Za-z_]\w*$/.test(name)) yield `${place}: "${name}" is not a name for an item`;
  else if (TAKEN.has(name)) yield `${place}: "${name}" already means something else in expressions`;
}

const TAKEN: ReadonlySet<string> = new Set([
  ...["threadId", "depth", "start", "steps", "last", "byRole", "group", "evidence"],
  ...["and", "or", "in", "true", "false", "null", "function"],
]);

function* numberFaults({ atOnce, join, session }: Group, place: string): Generator<string> {
  if (atOnce !== undefined && !isCount(atOnce)) yield `${place}.atOnce: ${MUST_BE_COUNT}`;
  if (typeof join === "object" && !isCount(join.atLeast)) {
    yield `${place}.join.atLeast: ${MUST_BE_COUNT}`;
  }
  if (session === "role" && atOnce !== 1) {
    yield `${place}.session: members in one session run one after the other; say \`atOnce: 1\``;
  }
}

const MUST_BE_COUNT = "must be a whole number above 0";

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function policyIn({ join = "all", onFault = "collect", session = "own" }: Group): string {
  return JSON.stringify([join, onFault, session]);
}
