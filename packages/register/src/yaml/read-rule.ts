import {
  AGENT_FAULTS,
  FALLBACK,
  type RuleOutcome,
  type Transition,
} from "@uncaged/workflow-protocol";
import { isSeq } from "yaml";
import { didYouMean } from "./did-you-mean.ts";
import { allOf, choiceOf, fault, fieldsOf, type Item, textOf } from "./item.ts";
import type { Statuses } from "./read-output.ts";
import { checkedText } from "./read-rules.ts";
import { requiredIn, TARGET_FIELDS, type TargetScope, targetIn } from "./read-target.ts";

export type EntryScope = TargetScope & { statuses: Statuses };

export type Rule = {
  /** Null when its target cannot be read. */
  transition: Transition | null;
  /** The statuses for which no later rule is tried, among steps that ended well. */
  settles: readonly string[] | "all" | "nothing";
};

/** `{ role, prompt, location, status, when, name, outcomes }`; null when it is not a mapping. */
export function readRule(item: Item, scope: EntryScope): Rule | null {
  const fields = fieldsOf(item, { known: RULE_KEYS, required: requiredIn(item) });
  if (fields === null) return null;
  const optional = <T>(field: string, read: (value: Item) => T | null): T | null => {
    const value = fields.get(field);
    return value === undefined ? null : read(value);
  };
  const target = targetIn(fields, scope);
  const statuses = optional("status", (status) => readStatuses(status, scope));
  const when = optional("when", (each) => checkedText(each, scope.checks.checkRule));
  const outcomes = optional("outcomes", readOutcomes);
  const hasCondition = fields.has("status") || fields.has("when");
  const name = optional("name", (each) => readConditionName(each, hasCondition));
  const condition = conditionOf({ name, statuses, when }, scope);
  const isForOk = !fields.has("outcomes") || outcomes?.includes("ok") === true;
  return {
    transition: target && { condition, ...target, ...(outcomes === null ? {} : { outcomes }) },
    settles:
      !isForOk || fields.has("when") ? "nothing" : fields.has("status") ? (statuses ?? []) : "all",
  };
}

const RULE_KEYS = [...TARGET_FIELDS, "status", "when", "name", "outcomes"];
const OUTCOMES: readonly RuleOutcome[] = ["ok", "limit", ...AGENT_FAULTS];

/** After a group: every member has this status. */
export function statusCondition(
  statuses: readonly string[],
  { from, groups }: Pick<EntryScope, "from" | "groups">,
): { name: string; when: string } {
  const values = statuses.map((status) => JSON.stringify(status));
  const has = values.length === 1 ? `= ${values[0]}` : `in [${values.join(", ")}]`;
  const when = groups.includes(from)
    ? `$count(group.results[meta.status ${has}]) = group.of`
    : `last.meta.status ${has}`;
  return { name: statuses.join(" or "), when };
}

export function unknownStatus(status: string, { from, statuses }: EntryScope): string | null {
  const known = statuses === "none" ? [] : statuses;
  if (known === "unreadable" || known.includes(status)) return null;
  return `${from} has no status ${JSON.stringify(status)}${didYouMean(status, known)}`;
}

/** A status, or a list of them. */
function readStatuses(item: Item, scope: EntryScope): string[] | null {
  if (isSeq(item.node)) return allOf(item, (each) => readStatus(each, scope));
  const status = readStatus(item, scope);
  return status === null ? null : [status];
}

function readStatus(item: Item, scope: EntryScope): string | null {
  const status = textOf(item);
  const problem = status === null ? null : unknownStatus(status, scope);
  return problem === null ? status : fault(item, problem);
}

function readOutcomes(item: Item): RuleOutcome[] | null {
  const outcomes = allOf(item, (each) => choiceOf(each, OUTCOMES));
  return outcomes?.length === 0 ? fault(item, "must not be empty") : outcomes;
}

function readConditionName(item: Item, hasCondition: boolean): string | null {
  const name = textOf(item);
  if (name === FALLBACK) return fault(item, "is the name of rules without a condition");
  return hasCondition ? name : fault(item, "names a condition, and the rule has none");
}

function conditionOf(
  parts: { name: string | null; statuses: readonly string[] | null; when: string | null },
  scope: EntryScope,
): Transition["condition"] {
  const { name, statuses, when } = parts;
  const status = statuses === null ? null : statusCondition(statuses, scope);
  if (status === null) return when === null ? FALLBACK : { name: name ?? shortened(when), when };
  if (when === null) return { name: name ?? status.name, when: status.when };
  return {
    name: name ?? `${status.name}, ${shortened(when)}`,
    when: `${status.when} and (${when})`,
  };
}

function shortened(when: string): string {
  const line = when.trim().replace(/\s+/g, " ");
  return line.length <= 60 ? line : `${line.slice(0, 59).toWellFormed()}…`;
}
