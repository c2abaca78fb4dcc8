import { END, SUSPEND, type Transition } from "@uncaged/workflow-protocol";
import { isMap } from "yaml";
import { didYouMean } from "./did-you-mean.ts";
import { fault, fieldsOf, type Item, keyFault, textOf } from "./item.ts";
import { checkedText } from "./read-rules.ts";
import type { RuleItems } from "./written.ts";
import type { YamlChecks } from "./yaml-checks.ts";

export type Target = Pick<Transition, "role" | "prompt" | "location">;

/** The context of a target. */
export type TargetScope = {
  /** `$START`, or the role before it. */
  from: string;
  roles: readonly string[];
  checks: YamlChecks;
  /** Notes what each rule is read from. */
  rules: RuleItems;
};

export const TARGET_FIELDS = ["role", "prompt", "location"] as const;

/** A role's name, `$END`, or a mapping with `role`. */
export function readTarget(item: Item, scope: TargetScope): Target | null {
  if (!isMap(item.node)) return readName(item, { ...scope, asks: false });
  const fields = fieldsOf(item, { known: TARGET_FIELDS, required: ["role"] });
  return fields === null ? null : targetIn(fields, scope);
}

/** The target in these fields; other keys are the caller's. */
export function targetIn(fields: ReadonlyMap<string, Item>, scope: TargetScope): Target | null {
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
  { from, roles, asks }: TargetScope & { asks: boolean },
): Target | null {
  const name = textOf(item);
  if (name === null) return null;
  if (roles.includes(name)) return { role: name };
  if (name === "$END") return { role: END };
  if (name !== "$SUSPEND") {
    return fault(
      item,
      `there is no role ${JSON.stringify(name)}${didYouMean(name, [...roles, "$END", "$SUSPEND"])}`,
    );
  }
  if (from === "$START") return fault(item, "nobody has asked anything before the first step");
  if (!asks) return fault(item, "the question is missing: { role: $SUSPEND, prompt: What …? }");
  return { role: SUSPEND };
}
