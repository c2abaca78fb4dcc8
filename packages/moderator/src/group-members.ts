/** The members of a group, as the rule that leads there says, on the thread as it is when the group begins. */
import {
  DEFAULT_ITEM_NAME,
  failure,
  type Group,
  type GroupMember,
  type JsonValue,
  MAX_GROUP_MEMBERS,
  type MemberWorkspace,
  type ModeratorContext,
  parseJson,
  toJsonObject,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { asking } from "./asking.ts";
import { causeOf, parseExpression } from "./expression.ts";
import { fillTemplate } from "./fill-template.ts";
import type { Names } from "./names.ts";

export type PickedMember = {
  role: string;
  /** null: the group has no `each`. */
  item: JsonValue;
  /** Filled in. */
  prompt: string | null;
  /** Filled in; null: the thread's own directory. */
  location: string | null;
  /** Name in `config.agents`; null: as for other steps of the role. */
  agent: string | null;
  workspace?: MemberWorkspace;
};

/** In declared order. Rejects with `MODERATOR_FAILED` when `each` fails, or returns too many items; and as
 *  `fillTemplate` does. */
export async function groupMembers(
  group: Group,
  context: ModeratorContext,
): Promise<PickedMember[]> {
  if (group.members !== undefined) {
    return Promise.all(group.members.map((member) => filled(member, { context, item: null })));
  }
  const { each, as = DEFAULT_ITEM_NAME } = group;
  const items = await itemsOf(group.name, each, context);
  const members: PickedMember[] = [];
  for (const item of items) {
    members.push(await filled(group, { context, item, names: { [as]: item } }));
  }
  return members;
}

type About = { context: ModeratorContext; item: JsonValue; names?: Names };

async function filled(
  { role, prompt, location, agent, workspace }: GroupMember,
  { context, item, names = {} }: About,
): Promise<PickedMember> {
  const place = location === undefined ? "" : await fillTemplate(location, context, names);
  return {
    role,
    item,
    prompt: prompt === undefined ? null : await fillTemplate(prompt, context, names),
    location: place === "" ? null : place,
    agent: agent ?? null,
    ...(workspace === undefined ? {} : { workspace }),
  };
}

/** A value that is no list is a list of one; no value is an empty list. */
async function itemsOf(
  name: string,
  each: string,
  context: ModeratorContext,
): Promise<readonly JsonValue[]> {
  const parsed = parseExpression(each, "here");
  if (!parsed.ok) throw new WorkflowError(parsed.error);
  let value: JsonValue | undefined;
  try {
    const json = await asking(context)(parsed.value, "json");
    value = toJsonObject({ value: parseJson(json) })?.value;
  } catch (thrown) {
    throw failed(name, `failed: ${causeOf(thrown)}; each: ${each}`, thrown);
  }
  const items = Array.isArray(value) ? value : value == null ? [] : [value];
  if (items.length <= MAX_GROUP_MEMBERS) return items;
  throw failed(name, `returned ${items.length} items; a group has ${MAX_GROUP_MEMBERS} at most`);
}

function failed(name: string, why: string, cause?: unknown): WorkflowError {
  return new WorkflowError(
    failure(
      "MODERATOR_FAILED",
      `\`each\` of the group ${name} ${why}`,
      "correct the group, build and add the workflow again, then start a new thread",
    ),
    { cause },
  );
}
