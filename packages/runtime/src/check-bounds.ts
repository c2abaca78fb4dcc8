/** Checks the numbers and names of limits, retries and outcomes: an invalid limit would limit nothing. */
import {
  AGENT_FAULTS,
  type Limits,
  type RetryPolicy,
  type RoleMeta,
  type RoleRules,
  type RuleOutcome,
  type WorkflowDefinition,
} from "@uncaged/workflow-protocol";
import { keysOf } from "./keys-of.ts";

/** Faults, each with its place: `roles.coder.retry.attempts: …`. */
export function* boundFaults<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
): Generator<string> {
  yield* limitFaults(definition.limits, "limits");
  for (const role of keysOf(definition.roles)) {
    const { timeoutMs, retry, limits }: RoleRules = definition.roles[role];
    if (timeoutMs !== undefined && !isCount(timeoutMs)) {
      yield `roles.${role}.timeoutMs: ${MUST_BE_COUNT}`;
    }
    yield* retryFaults(retry, `roles.${role}.retry`);
    yield* limitFaults(limits, `roles.${role}.limits`);
  }
}

export function* outcomeFaults(outcomes: readonly RuleOutcome[], place: string): Generator<string> {
  if (outcomes.length === 0) {
    yield `${place}.outcomes: an empty list, so the rule is never asked; leave it out for "ok"`;
  }
  for (const outcome of outcomes) {
    if (!OUTCOMES.includes(outcome)) {
      yield `${place}.outcomes: "${outcome}" is none of ${OUTCOMES.join(", ")}`;
    }
  }
}

const OUTCOMES: readonly RuleOutcome[] = ["ok", "limit", ...AGENT_FAULTS];
const MUST_BE_COUNT = "must be a whole number above 0";

function* limitFaults(limits: Limits | undefined, place: string): Generator<string> {
  if (limits === undefined) return;
  for (const [name, bound] of Object.entries(limits)) {
    if (!LIMITS.has(name)) yield `${place}.${name}: is none of ${[...LIMITS].join(", ")}`;
    else if (name === "costUsd" ? !(Number(bound) > 0) : !isCount(bound)) {
      yield `${place}.${name}: ${name === "costUsd" ? "must be an amount above 0" : MUST_BE_COUNT}`;
    }
  }
}

const LIMITS: ReadonlySet<string> = new Set(["steps", "tokens", "costUsd", "timeMs"]);

function* retryFaults(retry: RetryPolicy | undefined, place: string): Generator<string> {
  if (retry === undefined) return;
  const { attempts, backoffMs = 0, maxBackoffMs = 0, on = [] } = retry;
  for (const [name, value] of Object.entries({ attempts, backoffMs, maxBackoffMs })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      yield `${place}.${name}: must be a whole number, 0 or more`;
    }
  }
  for (const fault of on) {
    if (!AGENT_FAULTS.includes(fault)) {
      yield `${place}.on: "${fault}" is none of ${AGENT_FAULTS.join(", ")}`;
    }
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
