import { checkTable } from "@uncaged/workflow-execute";
import {
  checkPattern,
  checkRule,
  checkRuleWarnings,
  checkTemplate,
} from "@uncaged/workflow-moderator";
import type { WorkflowDescriptor } from "@uncaged/workflow-protocol";
import type { Finding, YamlChecks } from "@uncaged/workflow-register";

/** Checks the rules of one workflow, and collects the warnings about those that are allowed. */
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

/** Of what `workflow check` finds, the fields that no schema has. What it says of the graph is left to it: a table that goes
 *  round until a limit stops it, or a role that is not reached yet, may be meant. */
export function fieldFindings(descriptor: WorkflowDescriptor): Finding[] {
  return checkTable(descriptor).filter(({ code }) => FIELD_CODES.has(code));
}

const FIELD_CODES: ReadonlySet<string> = new Set(["FIELD_UNKNOWN", "FIELD_UNDECLARED"]);
