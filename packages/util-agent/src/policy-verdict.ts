import type { ToolCallRecord, ToolPolicy, ToolRule } from "@uncaged/workflow-protocol";
import { matchesName, matchesPattern } from "./linear-pattern.ts";

/** What a policy looks at. */
export type PolicyCall = Pick<ToolCallRecord, "name" | "kind" | "subject">;

export type PolicyVerdict = {
  allowed: boolean;
  /** One sentence, also for the agent: which rule decided. */
  reason: string;
};

/** Whether a role may make this call. Never throws, and fails closed: a `deny` rule that cannot be read refuses,
 *  an `allow` rule that cannot be read allows nothing. No policy allows everything. */
export function policyVerdict(policy: ToolPolicy | null, call: PolicyCall): PolicyVerdict {
  const { allow, deny = [] } = policy ?? {};
  const denied = deny.find((rule) => fits(rule, call) ?? true);
  if (denied !== undefined) {
    return { allowed: false, reason: `${call.name} is denied to this role by ${words(denied)}` };
  }
  if (allow === undefined) return { allowed: true, reason: "no rule denies it" };
  const allowed = allow.find((rule) => fits(rule, call) ?? false);
  return allowed === undefined
    ? { allowed: false, reason: `${call.name} is not among what this role may use` }
    : { allowed: true, reason: `allowed by ${words(allowed)}` };
}

/** Null when the rule cannot be read: it names no tool, or its pattern is broken. */
function fits({ kind, name, input }: ToolRule, call: PolicyCall): boolean | null {
  if (kind === undefined && name === undefined) return null;
  if (kind !== undefined && kind !== call.kind) return false;
  if (name !== undefined && !matchesName(name, call.name)) return false;
  return input === undefined ? true : matchesPattern(input, call.subject);
}

function words({ kind, name, input }: ToolRule): string {
  const parts = [
    kind === undefined ? null : `kind ${kind}`,
    name === undefined ? null : `name ${name}`,
    input === undefined ? null : `input /${input}/`,
  ];
  return `the rule for ${parts.filter((each) => each !== null).join(", ") || "nothing"}`;
}
