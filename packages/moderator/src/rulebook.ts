/** A table compiled for use. */
import {
  failure,
  type Group,
  type GroupPolicy,
  type ModeratorRule,
  type RuleOutcome,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { type Expression, parseExpression } from "./expression.ts";

/** A rule as in a table or a descriptor's edge; the condition's name is for messages. */
export type TableRule = ModeratorRule & {
  condition?: string;
  /** How the previous step must have ended; left out: `ok`. */
  outcomes?: readonly RuleOutcome[];
  /** Set when the rule leads to a group. */
  group?: Group;
};

export type CompiledRule = {
  /** Index in the whole table. */
  index: number;
  /** Index among the rules of the same state, from 0. */
  place: number;
  /** Null always matches. */
  when: Expression | null;
};

/** The rules of each state, in the order in which they are tried. */
export type Rulebook = ReadonlyMap<string, readonly CompiledRule[]>;

const rulebooks = new WeakMap<readonly TableRule[], Rulebook>();

/** Compiles a table once per process: the array is the cache key, so it must not be changed afterwards. Throws
 *  `RULE_INVALID` naming the rule. */
export function rulebookOf(rules: readonly TableRule[]): Rulebook {
  const known = rulebooks.get(rules);
  if (known !== undefined) return known;
  const book = new Map<string, CompiledRule[]>();
  rules.forEach((rule, index) => {
    const ofState = book.get(rule.from) ?? [];
    ofState.push({ index, place: ofState.length, when: compile(rule, ofState.length) });
    book.set(rule.from, ofState);
  });
  rulebooks.set(rules, book);
  return book;
}

/** What steps of a group are read by; the first rule that leads there says it, and the others agree. */
export function policyOf(rules: readonly TableRule[], name: string): GroupPolicy {
  return rules.find(({ group }) => group?.name === name)?.group ?? {};
}

/** A rule's name in messages: its index in the table, and its condition if that has a name. */
export function nameOf(rule: TableRule, place: number): string {
  return `table.${rule.from}[${place}]${rule.condition ? ` (${rule.condition})` : ""}`;
}

function compile(rule: TableRule, place: number): Expression | null {
  if (rule.when === null) return null;
  const parsed = parseExpression(rule.when, "here");
  if (parsed.ok) return parsed.value;
  const { message, hint } = parsed.error;
  throw new WorkflowError(failure("RULE_INVALID", `${nameOf(rule, place)}.when: ${message}`, hint));
}
