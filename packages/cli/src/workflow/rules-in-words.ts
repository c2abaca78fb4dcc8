import type { Limits, RetryPolicy, RoleRules } from "@uncaged/workflow-protocol";
import { count } from "../command/count.ts";
import { duration } from "../terminal/times.ts";

/** What limits a role while it runs, one phrase per rule; empty for a role without any. */
export function rulesInWords({
  person,
  timeoutMs,
  retry,
  limits,
  requiredEvidence = [],
}: RoleRules): string[] {
  return [
    ...(person?.assignees === undefined ? [] : [`asks ${person.assignees.join(", ")}`]),
    ...(timeoutMs === undefined
      ? []
      : [person === undefined ? `${duration(timeoutMs)} a run` : `within ${duration(timeoutMs)}`]),
    ...(retry === undefined ? [] : [retryInWords(retry)]),
    ...limitsInWords(limits ?? {}),
    ...requiredEvidence.map((each) =>
      "check" in each ? `has to pass ${each.check.command.join(" ")}` : `has to show ${each.name}`,
    ),
  ];
}

/** In the order steps, tokens, cost, time: `at most 20 steps`. */
export function limitsInWords({ steps, tokens, costUsd, timeMs }: Limits): string[] {
  const bounds = [
    steps === undefined ? null : count(steps, "step"),
    tokens === undefined ? null : count(tokens, "token"),
    costUsd === undefined ? null : `$${costUsd}`,
    timeMs === undefined ? null : duration(timeMs),
  ];
  return bounds.filter((bound) => bound !== null).map((bound) => `at most ${bound}`);
}

function retryInWords({ attempts, on }: RetryPolicy): string {
  const retries = count(attempts, "retry", "retries");
  return on === undefined ? retries : `${retries} on ${on.join(", ")}`;
}
