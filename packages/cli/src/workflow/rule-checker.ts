import { checkRule, checkRuleWarnings } from "@uncaged/workflow-moderator";
import type { Failure } from "@uncaged/workflow-protocol";

/** Checks the rules of one bundle, and keeps what is to be said of those that are allowed. */
export function ruleChecker(): {
  checkRule: (when: string) => Failure | null;
  warnings: () => string[];
} {
  const warnings = new Set<string>();
  return {
    checkRule: (when) => {
      for (const warning of checkRuleWarnings(when)) warnings.add(`the rule ${when}: ${warning}`);
      return checkRule(when);
    },
    warnings: () => [...warnings],
  };
}
