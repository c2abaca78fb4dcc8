/** The steps that the engine itself records for a role that a person plays. The run begins when the person was asked,
 *  and ends with the answer or with the record that nobody answered in time. */
import type { JsonObject, PersonWait, StepRun } from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";

type At = {
  /** The thread's directory. */
  cwd: string;
  /** Unix milliseconds. */
  nowMs: number;
};

export function answeredStep(
  wait: PersonWait,
  answer: { meta: JsonObject; user: string },
  at: At,
): ParsedRoleOutput {
  const { role, route } = wait;
  return { role, meta: answer.meta, route, run: personRun(wait, answer.user, at) };
}

export function missedStep(wait: PersonWait, at: At): ParsedRoleOutput & { outcome: "timeout" } {
  const { role, route } = wait;
  const reason = missedReason(wait);
  const run = personRun(wait, null, at);
  return {
    role,
    meta: { outcome: "timeout", reason },
    content: reason,
    route,
    run,
    outcome: "timeout",
  };
}

export function missedReason({ role, deadline }: PersonWait): string {
  const until = deadline === null ? "" : ` by ${new Date(deadline).toISOString()}`;
  return `nobody answered for role ${role}${until}`;
}

function personRun({ since, assignees }: PersonWait, user: string | null, at: At): StepRun {
  return {
    agent: { name: "person", version: "" },
    session: null,
    prompt: null,
    startedAt: since,
    completedAt: Math.max(since, at.nowMs),
    usage: null,
    cwd: at.cwd,
    evidence: [],
    person: { user, assignees },
  };
}
