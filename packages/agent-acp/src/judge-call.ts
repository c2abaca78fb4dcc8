/** Whether a role may make a call, given what its agent has reported about it.
 *
 *  1. A call on several files is allowed only if it is allowed for each of them.
 *  2. What was not reported cannot be checked: a `deny` rule that would check it refuses. An `allow` rule never
 *     matches it, and an `ask` rule asks. */
import type { ToolRule } from "@uncaged/workflow-protocol";
import { callVerdict, type JudgedStep, type PolicyVerdict } from "@uncaged/workflow-util-agent";
import { shownName, subjectsOf, type ToolCall } from "./tool-call.ts";

export function judgeCall(
  step: JudgedStep,
  call: ToolCall,
  opts: { commandInTitle: boolean },
): PolicyVerdict {
  const name = shownName(call);
  const subjects = subjectsOf(call, opts);
  const blind = (step.policy?.deny ?? []).some((rule) => cannotBeJudged(rule, call, subjects));
  if (blind)
    return {
      allowed: false,
      reason: `a rule denies calls like ${name}, and this one does not say enough about itself`,
    };
  const asked = (step.policy?.ask ?? []).some((rule) => cannotBeJudged(rule, call, subjects));
  const verdicts = (subjects.length === 0 ? [""] : subjects).map((subject) =>
    callVerdict(step, {
      name: call.name ?? "an unnamed tool",
      kind: call.kind ?? "other",
      subject,
    }),
  );
  const refused = verdicts.filter(({ allowed }) => !allowed);
  const verdict = refused.find(({ asks }) => asks !== true) ?? refused[0] ?? verdicts[0] ?? NOTHING;
  if (!asked || !verdict.allowed) return verdict;
  const reason = `a person is asked about calls like ${name}, and this one does not say enough about itself`;
  return { allowed: false, reason, asks: true };
}

const NOTHING: PolicyVerdict = { allowed: false, reason: "there is nothing to judge" };

function cannotBeJudged(rule: ToolRule, call: ToolCall, subjects: readonly string[]): boolean {
  // It is of another kind: whatever else it is, the rule does not match it.
  if (rule.kind !== undefined && call.kind !== null && rule.kind !== call.kind) return false;
  if (rule.kind !== undefined && call.kind === null) return true;
  if (rule.name !== undefined && call.name === null) return true;
  return rule.input !== undefined && (subjects.length === 0 || call.morePaths);
}
