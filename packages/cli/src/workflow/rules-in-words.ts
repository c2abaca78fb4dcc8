import {
  boundsOf,
  type CheckRequirement,
  type Coordinates,
  type Limits,
  type RetryPolicy,
  type RoleRules,
} from "@uncaged/workflow-protocol";
import { count } from "../command/count.ts";
import { duration } from "../terminal/times.ts";

/** What limits a role while it runs, one phrase per rule; empty for a role without any. */
export function rulesInWords({
  person,
  timeoutMs,
  retry,
  limits,
  coordinates,
  requiredEvidence = [],
}: RoleRules): string[] {
  return [
    ...(person?.assignees === undefined ? [] : [`asks ${person.assignees.join(", ")}`]),
    ...(timeoutMs === undefined
      ? []
      : [person === undefined ? `${duration(timeoutMs)} a run` : `within ${duration(timeoutMs)}`]),
    ...(retry === undefined ? [] : [retryInWords(retry)]),
    ...limitsInWords(limits ?? {}),
    ...(coordinates === undefined ? [] : [coordinatesInWords(coordinates)]),
    ...requiredEvidence.map((each) =>
      "check" in each ? checkInWords(each) : `has to show ${each.name}`,
    ),
  ];
}

function checkInWords({ check: { command, approver = [] } }: CheckRequirement): string {
  const approved =
    approver.length === 0 ? "" : `, changes of tests approved by ${approver.join(" or ")}`;
  return `has to pass ${command.join(" ")}${approved}`;
}

/** `coordinates up to 20 workers of develop, 4 at once, on 80 % of the budget`. */
function coordinatesInWords(coordinates: Coordinates): string {
  const { workflows, agents, timeoutMs } = coordinates;
  const { atOnce, max, budgetShare } = boundsOf(coordinates);
  return [
    `coordinates up to ${count(max, "worker")} of ${workflows.join(" or ")}`,
    ...(agents === undefined ? [] : [`played by ${agents.join(" or ")}`]),
    `${atOnce} at once`,
    `on ${Math.round(budgetShare * 100)} % of the budget`,
    ...(timeoutMs === undefined ? [] : [`within ${duration(timeoutMs)}`]),
  ].join(", ");
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
