/** `{ group: reviews, each: last.meta.files, as: file, role: reviewer, prompt: "Review {{ file }}" }`, or with a list of
 *  `members` in place of `each`. */
import {
  type Group,
  type GroupJoin,
  type GroupMember,
  type GroupPolicy,
  MEMBER_WORKSPACES,
  roleNameFault,
} from "@uncaged/workflow-protocol";
import { isMap } from "yaml";
import { didYouMean } from "./did-you-mean.ts";
import { allOf, choiceOf, countOf, fault, fieldsOf, type Item, keyFault, textOf } from "./item.ts";
import { checkedText } from "./read-rules.ts";
import type { TargetScope } from "./read-target.ts";

const MEMBER_FIELDS: readonly string[] = ["role", "prompt", "location", "agent", "workspace"];
export const GROUP_FIELDS: readonly string[] = [
  ...["group", "each", "as", "members", "atOnce", "join", "onFault", "session"],
  ...MEMBER_FIELDS,
];
const ON_FAULT: readonly ("collect" | "stop")[] = ["collect", "stop"];
const SESSION: readonly ("own" | "role")[] = ["own", "role"];
const JOIN: readonly ("all" | "any")[] = ["all", "any"];

/** The group in these fields; other keys are the caller's. */
export function groupIn(fields: ReadonlyMap<string, Item>, scope: TargetScope): Group | null {
  const item = fields.get("group");
  const name = item === undefined ? null : readGroupName(item, scope);
  const optional = <T>(field: string, read: (value: Item) => T | null): T | null => {
    const value = fields.get(field);
    return value === undefined ? null : read(value);
  };
  const atOnce = optional("atOnce", above0);
  const join = optional("join", readJoin);
  const onFault = optional("onFault", (each) => choiceOf(each, ON_FAULT));
  const session = optional("session", (each) => choiceOf(each, SESSION));
  const each = optional("each", (value) => checkedText(value, scope.checks.checkRule));
  const as = optional("as", textOf);
  const list = optional("members", (items) => allOf(items, (one) => readMember(one, scope)));
  const member = fields.has("each") ? memberIn(fields, scope) : null;
  if (item !== undefined) sayWhoPlays(item, fields);
  if (name === null) return null;
  const policy: GroupPolicy & { name: string; atOnce?: number } = {
    name,
    ...(atOnce === null ? {} : { atOnce }),
    ...(join === null ? {} : { join }),
    ...(onFault === null ? {} : { onFault }),
    ...(session === null ? {} : { session }),
  };
  if (list !== null) return { ...policy, members: list };
  if (each === null || member === null) return null;
  return { ...policy, ...member, each, ...(as === null ? {} : { as }) };
}

/** One of the two ways to say who the members are. */
function sayWhoPlays(item: Item, fields: ReadonlyMap<string, Item>): void {
  const members = fields.get("members");
  if (members === undefined) {
    for (const name of ["each", "role"])
      if (!fields.has(name)) keyFault(item, `${JSON.stringify(name)} is missing beside "group"`);
    return;
  }
  for (const name of ["each", "as", ...MEMBER_FIELDS]) {
    const other = fields.get(name);
    if (other !== undefined) keyFault(other, 'stands beside "members", which say that themselves');
  }
}

function readGroupName(item: Item, { roles }: TargetScope): string | null {
  const name = textOf(item);
  if (name === null) return null;
  const problem = roleNameFault(name);
  if (problem !== null) return fault(item, problem);
  if (roles.includes(name))
    return fault(item, `there is a role of the name ${JSON.stringify(name)}`);
  return name;
}

function readMember(item: Item, scope: TargetScope): GroupMember | null {
  const fields = fieldsOf(item, { known: MEMBER_FIELDS, required: ["role"] });
  return fields === null ? null : memberIn(fields, scope);
}

function memberIn(fields: ReadonlyMap<string, Item>, scope: TargetScope): GroupMember | null {
  const { roles, checks } = scope;
  const template = (name: string): string | null => {
    const item = fields.get(name);
    return item === undefined ? null : checkedText(item, checks.checkTemplate);
  };
  const item = fields.get("role");
  const role = item === undefined ? null : textOf(item);
  const prompt = template("prompt");
  const location = template("location");
  const agentItem = fields.get("agent");
  const agent = agentItem === undefined ? null : textOf(agentItem);
  const placeItem = fields.get("workspace");
  const workspace = placeItem === undefined ? null : choiceOf(placeItem, MEMBER_WORKSPACES);
  if (item === undefined || role === null) return null;
  if (!roles.includes(role)) {
    return fault(item, `there is no role ${JSON.stringify(role)}${didYouMean(role, roles)}`);
  }
  return {
    role,
    ...(prompt === null ? {} : { prompt }),
    ...(location === null ? {} : { location }),
    ...(agent === null ? {} : { agent }),
    ...(workspace === null ? {} : { workspace }),
  };
}

/** `all`, `any` or `{ atLeast: 2 }`. */
function readJoin(item: Item): GroupJoin | null {
  if (!isMap(item.node)) return choiceOf(item, JOIN);
  const fields = fieldsOf(item, { known: ["atLeast"], required: ["atLeast"] });
  const count = fields?.get("atLeast");
  const atLeast = count === undefined ? null : above0(count);
  return atLeast === null ? null : { atLeast };
}

function above0(item: Item): number | null {
  return countOf(item, { atLeast: 1 });
}
