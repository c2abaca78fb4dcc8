import type { Failure } from "@uncaged/workflow-protocol";
import { parseExpression } from "./expression.ts";

/** Checks a rule's `when` without evaluating it: syntax, purity, linear regular expressions. Null when it may be
 *  used. The message does not say where the rule is; the caller adds that. */
export function checkRule(when: string): Failure | null {
  const parsed = parseExpression(when);
  return parsed.ok ? null : parsed.error;
}
