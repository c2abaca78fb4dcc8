import type { Failure } from "@uncaged/workflow-protocol";
import type { CheckRule } from "../check/check-descriptor.ts";

/** Passed in by the caller, because the moderator is a sibling of this package, not below it. Each returns null when
 *  nothing is wrong. */
export type YamlChecks = {
  checkRule: CheckRule;
  /** Checks a text with `{{ expression }}` placeholders. */
  checkTemplate: (template: string) => Failure | null;
  /** Checks a regular expression that is matched against what an agent did. */
  checkPattern: (pattern: string) => Failure | null;
};
