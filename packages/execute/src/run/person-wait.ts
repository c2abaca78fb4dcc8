/** What a thread waits for once its workflow stops for now.
 *
 *  1. The workflow says which role a person plays and what the person is asked. Who is asked, the form and the time
 *     limit come from the descriptor, as every rule of a role does.
 *  2. Who was asked before is not asked anew: a thread that comes back to the same question keeps its deadline. */
import {
  type DescriptorRole,
  err,
  type Failure,
  failure,
  isPersonWait,
  ok,
  type Result,
  type StepRoute,
  type Suspension,
  type Wait,
} from "@uncaged/workflow-protocol";

export type Asking = {
  suspension: Suspension;
  route: StepRoute | null;
  roles: { readonly [role: string]: DescriptorRole };
  /** What the thread waited for at the same head, when its runner took it. */
  before: readonly Wait[];
  /** Unix milliseconds. */
  nowMs: number;
};

/** `INVALID_OUTPUT`: the workflow asks a person to play a role that no person plays. */
export function waitFor({
  suspension,
  route,
  roles,
  before,
  nowMs,
}: Asking): Result<Wait, Failure> {
  if (suspension.kind !== "person") return ok(suspension);
  const { kind, role, message } = suspension;
  const asked = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (asked?.person === undefined) return err(noPerson(role));
  const same = before.filter(isPersonWait).find((wait) => wait.role === role);
  const since = same?.since ?? nowMs;
  return ok({
    ...{ kind, role, message, form: asked.schema, route, since },
    deadline: asked.timeoutMs === undefined ? null : since + asked.timeoutMs,
    assignees: asked.person.assignees ?? [],
  });
}

/** Nobody has answered in time. */
export function isOverdue(wait: Wait, nowMs: number): boolean {
  return isPersonWait(wait) && wait.deadline !== null && wait.deadline <= nowMs;
}

function noPerson(role: string): Failure {
  return failure(
    "INVALID_OUTPUT",
    `the workflow asks a person to play ${JSON.stringify(role)}, which its descriptor has no person for`,
    "define the role with `definePerson`, add the workflow again, then start a new thread",
  );
}
