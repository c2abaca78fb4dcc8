import {
  checkPattern,
  checkRule,
  checkRuleWarnings,
  checkTemplate,
} from "@uncaged/workflow-moderator";
import type { YamlChecks } from "@uncaged/workflow-register";

/** Checks the rules of one workflow, and keeps what is to be said of those that are allowed. */
export function ruleChecker(): { checks: YamlChecks; warnings: () => string[] } {
  const warnings = new Set<string>();
  return {
    checks: {
      checkRule: (when) => {
        for (const warning of checkRuleWarnings(when)) warnings.add(`the rule ${when}: ${warning}`);
        return checkRule(when);
      },
      checkTemplate,
      checkPattern,
    },
    warnings: () => [...warnings],
  };
}
