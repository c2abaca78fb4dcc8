/** Limits that limit nothing, or everything. The values themselves are valid: a bundle with an invalid one is not
 *  accepted.
 *
 *  1. A workflow that cannot end within its own steps is an error, though a thread may be given more.
 *  2. A limit that another one always precedes is only useless, and so is a retry that retries nothing. */
import {
  DEFAULT_MAX_STEPS,
  type Limits,
  type RetryPolicy,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import type { TableFinding } from "./table-finding.ts";

export function checkLimits(
  { roles, limits = {} }: Pick<WorkflowDescriptor, "roles" | "limits">,
  /** Number of steps on the shortest way to the end; null: there is none. */
  shortest: number | null,
): TableFinding[] {
  const findings: TableFinding[] = [];
  const { steps = DEFAULT_MAX_STEPS } = limits;
  if (shortest !== null && steps < shortest) findings.push(tooLow(steps, shortest));
  for (const [name, role] of Object.entries(roles)) {
    const place = `roles.${name}`;
    findings.push(
      ...deadLimits(role.limits ?? {}, { ...limits, steps }, `${place}.limits`),
      ...deadTimeout(role, limits, place),
      ...deadRetry(role.retry, `${place}.retry`),
    );
  }
  return findings;
}

function tooLow(steps: number, shortest: number): TableFinding {
  const message = `the shortest way to the end takes ${shortest} steps, and a thread may make ${steps}`;
  return { code: "LIMIT_TOO_LOW", level: "fault", place: "limits.steps", message };
}

function deadLimits(ofRole: Limits, ofThread: Limits, place: string): TableFinding[] {
  return KINDS.flatMap((kind) => {
    const [role, thread] = [ofRole[kind], ofThread[kind]];
    if (role === undefined || thread === undefined || role <= thread) return [];
    return [dead(`${place}.${kind}`, `${role} is never reached: the thread stops at ${thread}`)];
  });
}

const KINDS = ["steps", "tokens", "costUsd", "timeMs"] as const satisfies (keyof Limits)[];

function deadTimeout(
  { timeoutMs, limits }: { timeoutMs?: number | undefined; limits?: Limits | undefined },
  ofThread: Limits,
  place: string,
): TableFinding[] {
  const left = Math.min(limits?.timeMs ?? Infinity, ofThread.timeMs ?? Infinity);
  if (timeoutMs === undefined || timeoutMs <= left) return [];
  const message = `${timeoutMs} is never reached: all runs together have ${left}`;
  return [dead(`${place}.timeoutMs`, message)];
}

function dead(place: string, message: string): TableFinding {
  return { code: "LIMIT_DEAD", level: "warning", place, message };
}

function deadRetry(retry: RetryPolicy | undefined, place: string): TableFinding[] {
  if (retry === undefined) return [];
  const none = retry.attempts === 0 ? "attempts is 0" : retry.on?.length === 0 ? "on is empty" : "";
  if (none === "") return [];
  const message = `nothing is tried again: ${none}`;
  return [{ code: "RETRY_DEAD", level: "warning", place, message }];
}
