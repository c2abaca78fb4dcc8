/** What a thread waits for once its workflow stops for now.
 *
 *  1. The workflow says which role a person plays and what the person is asked. Who is asked, the form and the time
 *     limit come from the descriptor, as every rule of a role does.
 *  2. A person is not asked the same thing again: a thread that comes back to the same question keeps its deadline. */
import {
  type DescriptorRole,
  err,
  type Failure,
  failure,
  type GroupJoin,
  isPersonWait,
  ok,
  type PersonWait,
  type Result,
  type StepGroup,
  type StepRoute,
  type Suspension,
  type Wait,
} from "@uncaged/workflow-protocol";

export type Asking = {
  suspension: Suspension;
  route: StepRoute | null;
  roles: { readonly [role: string]: DescriptorRole };
  /** What the thread waited for at the same head or in the same group, when its runner took it. */
  before: readonly Wait[];
  /** For a member of a group: its place, and when the group joins. */
  member?: StepGroup & { join: GroupJoin };
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
  member,
}: Asking): Result<Wait, Failure> {
  if (suspension.kind !== "person") return ok(suspension);
  const { kind, role, message } = suspension;
  const asked = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (asked?.person === undefined) return err(noPerson(role));
  const place = member === undefined ? {} : placeOf(member);
  const same = before.filter(isPersonWait).find((wait) => isSame(wait, { role, ...place }));
  const since = same?.since ?? nowMs;
  return ok({
    ...{ kind, role, message, form: asked.schema, route, since },
    deadline: asked.timeoutMs === undefined ? null : since + asked.timeoutMs,
    assignees: asked.person.assignees ?? [],
    ...place,
  });
}

type Place = Pick<PersonWait, "member" | "group">;

/** A member's place in its group, as a question has it. */
export function placeOf({ name, entry, index, of, join }: NonNullable<Asking["member"]>): Place {
  return { member: index, group: { name, entry, of, join } };
}

/** Whether this person is asked for the same step. */
export function isSame(
  a: Place & Pick<PersonWait, "role">,
  b: Place & Pick<PersonWait, "role">,
): boolean {
  return (
    a.role === b.role &&
    a.member === b.member &&
    a.group?.name === b.group?.name &&
    a.group?.entry === b.group?.entry
  );
}

/** Nobody has answered in time. */
export function isOverdue(wait: Wait, nowMs: number): boolean {
  return isPersonWait(wait) && wait.deadline !== null && wait.deadline <= nowMs;
}

function noPerson(role: string): Failure {
  return failure(
    "INVALID_OUTPUT",
    `the workflow asks a person to play ${JSON.stringify(role)}, but in its descriptor no person plays that role`,
    "define the role with `definePerson`, add the workflow again, then start a new thread",
  );
}
