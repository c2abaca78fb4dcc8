import type { Failure } from "@uncaged/workflow-protocol";
import { parseExpression } from "./expression.ts";

/** Checks the `when` of a rule without evaluating it: syntax, purity, linear regular expressions.
 *  Null when it may be used. The message does not know where the rule stands; the caller adds that. */
export function checkRule(when: string): Failure | null {
  const parsed = parseExpression(when);
  return parsed.ok ? null : parsed.error;
}
