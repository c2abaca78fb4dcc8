/** The moderator: decides which rule of the table is taken, and so which role comes next.
 *
 *  1. Pure: the same rules and steps always have the same result, on every machine, at any time.
 *  2. The state is the role of the last step, or `__start__`. Its rules are tried in order; the first whose
 *     condition holds is taken; if none holds, the thread ends. A rule is only tried for the outcomes that it names,
 *     `ok` by default.
 *  3. Rules are compiled once per process; the projection of the steps is updated incrementally.
 *  4. Whatever a rule does, the calling thread stays responsive: see `evaluator.ts`. */
import {
  END,
  failure,
  type ModeratorContext,
  type ModeratorRule,
  type RuleOutcome,
  START,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { type Ask, asking } from "./asking.ts";
import { causeOf } from "./expression.ts";
import { type CompiledRule, nameOf, rulebookOf, type TableRule } from "./rulebook.ts";

export type PickedRoute<R extends TableRule = TableRule> = {
  from: string;
  /** A role, `END` or `SUSPEND`. */
  to: string;
  /** Index of the rule among those of `from`, from 0; null when none matched. */
  rule: number | null;
  matched: R | null;
};

/** Returns the next role, `END` or `SUSPEND`. Rejects like `pickRoute`. */
export async function evaluateModerator(
  rules: readonly ModeratorRule[],
  context: ModeratorContext,
): Promise<string> {
  return (await pickRoute(rules, context)).to;
}

/** `outcome`: how the last step ended, or `limit` to try the rules for a limit. Rejects with `RULE_INVALID` when a
 *  rule of the table is broken, with `MODERATOR_FAILED` when a condition fails on these steps; both name the rule. */
export async function pickRoute<R extends TableRule>(
  rules: readonly R[],
  context: ModeratorContext,
  outcome: RuleOutcome = context.steps.at(-1)?.outcome ?? "ok",
): Promise<PickedRoute<R>> {
  const from = context.steps.at(-1)?.role ?? START;
  const candidates = rulebookOf(rules).get(from) ?? [];
  const ask = asking(context);
  for (const candidate of candidates) {
    const rule = rules[candidate.index];
    if (rule === undefined || !(rule.outcomes ?? OK).includes(outcome)) continue;
    if (!(await holds(rule, candidate, { ask, round: context.steps.length }))) continue;
    return { from, to: rule.to, rule: candidate.place, matched: rule };
  }
  return { from, to: END, rule: null, matched: null };
}

const OK: readonly RuleOutcome[] = ["ok"];

async function holds(
  rule: TableRule,
  { when, place }: CompiledRule,
  { ask, round }: { ask: Ask; round: number },
): Promise<boolean> {
  if (when === null) return true;
  try {
    return (await ask(when, "truth")) === "true";
  } catch (thrown) {
    throw new WorkflowError(
      failure(
        "MODERATOR_FAILED",
        `${nameOf(rule, place)} failed after round ${round}: ${causeOf(thrown)}; when: ${rule.when}`,
        "correct the rule, build and add the workflow again, then start a new thread",
      ),
      { cause: thrown },
    );
  }
}
