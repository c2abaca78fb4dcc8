import { END, type Group, SUSPEND } from "@uncaged/workflow-protocol";
import { isMap } from "yaml";
import { didYouMean } from "./did-you-mean.ts";
import { fault, fieldsOf, type Item, keyFault, textOf } from "./item.ts";
import { GROUP_FIELDS, groupIn } from "./read-group.ts";
import { checkedText } from "./read-rules.ts";
import type { RuleItems } from "./written.ts";
import type { YamlChecks } from "./yaml-checks.ts";

/** A role, a group, the end or a question, without the condition that leads there. */
export type Target = { role: string; prompt?: string; location?: string } | { group: Group };

/** The context of a target. */
export type TargetScope = {
  /** `$START`, or the role before it. */
  from: string;
  roles: readonly string[];
  /** Names of the groups that the graph has an entry for. */
  groups: readonly string[];
  checks: YamlChecks;
  /** Notes what each rule is read from. */
  rules: RuleItems;
};

export const TARGET_FIELDS: readonly string[] = [
  ...new Set(["role", "prompt", "location", ...GROUP_FIELDS]),
];

/** A role's name, `$END`, or a mapping with `role`. */
export function readTarget(item: Item, scope: TargetScope): Target | null {
  if (!isMap(item.node)) return readName(item, { ...scope, asks: false });
  const fields = fieldsOf(item, { known: TARGET_FIELDS, required: requiredIn(item) });
  return fields === null ? null : targetIn(fields, scope);
}

/** A rule leads to a role, unless it leads to a group. */
export function requiredIn({ node }: Item): string[] {
  return isMap(node) && node.has("group") ? [] : ["role"];
}

/** The target in these fields; other keys are the caller's. */
export function targetIn(fields: ReadonlyMap<string, Item>, scope: TargetScope): Target | null {
  if (fields.has("group")) {
    const group = groupIn(fields, scope);
    return group === null ? null : { group };
  }
  for (const name of GROUP_FIELDS) {
    const stray = fields.get(name);
    if (stray !== undefined && name !== "role" && name !== "prompt" && name !== "location")
      keyFault(stray, 'is about a group, and "group" is missing');
  }
  const role = fields.get("role");
  const prompt = fields.get("prompt");
  const location = fields.get("location");
  const name = role === undefined ? null : readName(role, { ...scope, asks: prompt !== undefined });
  const template = (item: Item | undefined): string | null =>
    item === undefined ? null : checkedText(item, scope.checks.checkTemplate);
  const texts = { prompt: template(prompt), location: template(location) };
  if (name === null) return null;
  if (location !== undefined && (name.role === END || name.role === SUSPEND)) {
    keyFault(location, "nobody works there: it is for a role");
  }
  return {
    ...name,
    ...(texts.prompt === null ? {} : { prompt: texts.prompt }),
    ...(texts.location === null ? {} : { location: texts.location }),
  };
}

function readName(
  item: Item,
  { from, roles, groups, asks }: TargetScope & { asks: boolean },
): { role: string } | null {
  const name = textOf(item);
  if (name === null) return null;
  if (roles.includes(name)) return { role: name };
  if (name === "$END") return { role: END };
  if (groups.includes(name)) {
    return fault(item, `${name} is a group: write { group: ${name}, each: …, role: … }`);
  }
  if (name !== "$SUSPEND") {
    return fault(
      item,
      `there is no role ${JSON.stringify(name)}${didYouMean(name, [...roles, "$END", "$SUSPEND"])}`,
    );
  }
  if (from === "$START") return fault(item, "nobody has asked anything before the first step");
  if (groups.includes(from)) {
    return fault(item, "a group cannot be given an answer; lead to a role that asks");
  }
  if (!asks) return fault(item, "the question is missing: { role: $SUSPEND, prompt: What …? }");
  return { role: SUSPEND };
}
