import { type RoleData, roleNameFault } from "@uncaged/workflow-protocol";
import { isMap, isSeq } from "yaml";
import { allOf, choiceOf, countOf, fieldsOf, type Item, keyFault, textOf } from "./item.ts";
import { readOutput, type Statuses } from "./read-output.ts";
import { RULE_FIELDS, readRules } from "./read-rules.ts";
import { rolePrompt } from "./role-prompt.ts";
import type { YamlChecks } from "./yaml-checks.ts";

export type ReadRole = {
  /** Null when some part of it cannot be read. */
  data: RoleData | null;
  /** See `Output`. */
  statuses: Statuses;
};

export function readRole(name: string, item: Item, checks: YamlChecks): ReadRole {
  const nameFault = roleNameFault(name);
  if (nameFault !== null) keyFault(item, nameFault);
  if (isPersons(item)) return readPerson(item, checks);
  const fields = fieldsOf(item, { known: FIELDS, required: ["goal", "output"] });
  const optional = <T>(field: string, read: (value: Item) => T | null): T | null => {
    const value = fields?.get(field);
    return value === undefined ? null : read(value);
  };
  const goal = optional("goal", textOf);
  const capabilities = optional("capabilities", (list) => allOf(list, textOf)) ?? [];
  const procedure = optional("procedure", textOrTexts);
  const output = optional("output", (each) => readOutput(each, checks));
  const rules = fields === null ? {} : readRules(fields, checks);
  if (goal === null || output === null)
    return { data: null, statuses: output?.statuses ?? "unreadable" };
  const data = {
    description: firstLine(goal),
    systemPrompt: rolePrompt(name, { goal, capabilities, procedure }),
    schema: output.schema,
    ...rules,
  };
  return { data, statuses: output.statuses };
}

const FIELDS: readonly string[] = ["goal", "capabilities", "procedure", "output", ...RULE_FIELDS];

function isPersons(item: Item): boolean {
  return isMap(item.node) && item.node.has("by");
}

/** `by: person`: what is for agents has no place here. */
function readPerson(item: Item, checks: YamlChecks): ReadRole {
  const fields = fieldsOf(item, { known: PERSON_FIELDS, required: ["output"] });
  const by = fields?.get("by");
  if (by !== undefined) choiceOf(by, ["person"]);
  const optional = <T>(field: string, read: (value: Item) => T | null): T | null => {
    const value = fields?.get(field);
    return value === undefined ? null : read(value);
  };
  const goal = optional("goal", textOf) ?? "";
  const output = optional("output", (each) => readOutput(each, checks));
  const assignees = optional("assignees", (list) => allOf(list, textOf));
  const timeoutMs = optional("timeoutMs", (each) => countOf(each, { atLeast: 1 }));
  if (output === null) return { data: null, statuses: "unreadable" };
  const data = {
    ...{ description: firstLine(goal), systemPrompt: "", schema: output.schema },
    person: assignees === null ? {} : { assignees },
    ...(timeoutMs === null ? {} : { timeoutMs }),
  };
  return { data, statuses: output.statuses };
}

const PERSON_FIELDS: readonly string[] = ["by", "goal", "output", "assignees", "timeoutMs"];

function textOrTexts(item: Item): string | string[] | null {
  return isSeq(item.node) ? allOf(item, textOf) : textOf(item);
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.trim() ?? "";
}
