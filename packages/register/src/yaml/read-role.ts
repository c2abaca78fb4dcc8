import { type RoleData, roleNameFault } from "@uncaged/workflow-protocol";
import { isSeq } from "yaml";
import { allOf, fieldsOf, type Item, keyFault, textOf } from "./item.ts";
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

function textOrTexts(item: Item): string | string[] | null {
  return isSeq(item.node) ? allOf(item, textOf) : textOf(item);
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]?.trim() ?? "";
}
