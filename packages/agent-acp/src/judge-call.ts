/** Whether a role may make a call, on what its agent has told of it.
 *
 *  1. A call on several files is allowed only when it is for each of them.
 *  2. What has not been told cannot be looked at: a `deny` rule that would look at it refuses. An `allow` rule
 *     never fits it. */
import type { ToolPolicy, ToolRule } from "@uncaged/workflow-protocol";
import { type PolicyVerdict, policyVerdict } from "@uncaged/workflow-util-agent";
import { shownName, subjectsOf, type ToolCall } from "./tool-call.ts";

export function judgeCall(
  policy: ToolPolicy | null,
  call: ToolCall,
  opts: { commandInTitle: boolean },
): PolicyVerdict {
  if (policy === null) return { allowed: true, reason: "the role may use every tool" };
  const name = shownName(call);
  const subjects = subjectsOf(call, opts);
  const blind = (policy.deny ?? []).some((rule) => cannotBeJudged(rule, call, subjects));
  if (blind)
    return {
      allowed: false,
      reason: `a rule denies calls like ${name}, which does not say enough of itself`,
    };
  const verdicts = (subjects.length === 0 ? [""] : subjects).map((subject) =>
    policyVerdict(policy, {
      name: call.name ?? "an unnamed tool",
      kind: call.kind ?? "other",
      subject,
    }),
  );
  return verdicts.find(({ allowed }) => !allowed) ?? verdicts[0] ?? NOTHING;
}

const NOTHING: PolicyVerdict = { allowed: false, reason: "there is nothing to judge" };

function cannotBeJudged(rule: ToolRule, call: ToolCall, subjects: readonly string[]): boolean {
  // It is of another kind: whatever else it is, the rule does not fit it.
  if (rule.kind !== undefined && call.kind !== null && rule.kind !== call.kind) return false;
  if (rule.kind !== undefined && call.kind === null) return true;
  if (rule.name !== undefined && call.name === null) return true;
  return rule.input !== undefined && (subjects.length === 0 || call.morePaths);
}
