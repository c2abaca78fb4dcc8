/** The moderator: decides which rule of the table is taken, and so which role comes next.
 *
 *  1. Pure: the same rules and steps always have the same result, on every machine, at any time.
 *  2. The state is the role of the last step, its group if it is a member of one, or `__start__`. Its rules are tried
 *     in order; the first whose condition holds is taken; if none holds, the thread ends. A rule is only tried for the
 *     outcomes that it names, `ok` by default.
 *  3. Rules are compiled once per process; the projection of the steps is updated incrementally.
 *  4. A group without members has joined at once: its rules are tried as if they were the next ones.
 *  5. Whatever a rule does, the calling thread stays responsive: see `evaluator.ts`. */
import {
  END,
  failure,
  type ModeratorContext,
  type ModeratorRule,
  type ModeratorStep,
  type RuleOutcome,
  START,
  type StepGroup,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { type Ask, asking } from "./asking.ts";
import { causeOf } from "./expression.ts";
import { groupMembers, type PickedMember } from "./group-members.ts";
import { lastGroup } from "./group-progress.ts";
import { type CompiledRule, nameOf, policyOf, rulebookOf, type TableRule } from "./rulebook.ts";

export type PickedRoute<R extends TableRule = TableRule> = {
  from: string;
  /** A role, `END` or `SUSPEND`. */
  to: string;
  /** Index of the rule among those of `from`, from 0; null when none matched. */
  rule: number | null;
  matched: R | null;
  /** In declared order, never empty; null: the rule leads to no group. */
  members: readonly PickedMember[] | null;
  /** What the templates of the matched rule are filled in from. */
  seen: ModeratorContext;
};

/** Returns the next role, `END` or `SUSPEND`. Rejects like `pickRoute`. */
export async function evaluateModerator(
  rules: readonly ModeratorRule[],
  context: ModeratorContext,
): Promise<string> {
  return (await pickRoute(rules, context)).to;
}

/** `outcome`: how the last step ended, or `limit` to try the rules for a limit. A group is taken to have joined.
 *  Rejects with `RULE_INVALID` when a rule of the table is broken, with `MODERATOR_FAILED` when a condition fails on
 *  these steps; both name the rule. */
export async function pickRoute<R extends TableRule>(
  rules: readonly R[],
  context: ModeratorContext,
  outcome: RuleOutcome = outcomeOf(rules, context),
): Promise<PickedRoute<R>> {
  let [seen, tried] = [context, outcome];
  for (let passed = 0; passed < MOST_EMPTY_GROUPS; passed += 1) {
    const picked = await firstThatHolds(rules, seen, tried);
    const group = picked.matched?.group;
    if (group === undefined) return { ...picked, members: null, seen };
    const members = await groupMembers(group, seen);
    if (members.length > 0) return { ...picked, members, seen };
    [seen, tried] = [{ ...context, emptyGroup: group.name }, "ok"];
  }
  throw new WorkflowError(
    failure(
      "MODERATOR_FAILED",
      `rules lead from one group without members to another, ${MOST_EMPTY_GROUPS} times in a row`,
      "route on `group.count = 0`, so that a group without members leads elsewhere",
    ),
  );
}

const MOST_EMPTY_GROUPS = 100;

/** The state whose rules are tried. */
export function stateAfter({ steps, emptyGroup }: ModeratorContext): string {
  const last = steps.at(-1);
  return emptyGroup ?? last?.group?.name ?? last?.role ?? START;
}

function outcomeOf(rules: readonly TableRule[], { steps }: ModeratorContext): RuleOutcome {
  const last = steps.at(-1);
  return (last?.group === undefined ? last : groupFault(rules, steps))?.outcome ?? "ok";
}

/** The member whose failure ended the group that the last steps are of; null when none did. */
export function groupFault<S extends ModeratorStep>(
  rules: readonly TableRule[],
  steps: readonly S[],
): S | null {
  const group = steps.at(-1)?.group;
  if (group === undefined || policyOf(rules, group.name).onFault !== "stop") return null;
  const failed = ({ outcome = "cancelled" }: S): boolean => outcome !== "cancelled";
  return steps.slice(group.entry).find(failed) ?? null;
}

type Holding<R extends TableRule> = Omit<PickedRoute<R>, "members" | "seen">;

async function firstThatHolds<R extends TableRule>(
  rules: readonly R[],
  context: ModeratorContext,
  outcome: RuleOutcome,
): Promise<Holding<R>> {
  const from = stateAfter(context);
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

/** The group whose members are the last steps, if it has not joined yet; null otherwise. */
export function openGroup(
  rules: readonly TableRule[],
  steps: readonly ModeratorStep[],
): OpenGroup | null {
  const found = lastGroup(steps, (name) => policyOf(rules, name));
  if (found === null || found.progress.hasJoined) return null;
  return { ...found.group, missing: found.progress.missing };
}

export type OpenGroup = Omit<StepGroup, "index"> & {
  /** Indices of the members that have not finished. */
  missing: readonly number[];
};

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
