import type { Failure } from "@uncaged/workflow-protocol";
import type { CheckRule } from "../check/check-descriptor.ts";

/** Lent by the caller: the moderator stands beside this package, not below it. Each gives null when nothing is wrong. */
export type YamlChecks = {
  checkRule: CheckRule;
  /** Of a text with `{{ expression }}` placeholders. */
  checkTemplate: (template: string) => Failure | null;
  /** Of a regular expression over what an agent did. */
  checkPattern: (pattern: string) => Failure | null;
};
