import type { ThreadIndex } from "@uncaged/workflow-gateway/contract";
import { isSameGroup, type StepGroup } from "@uncaged/workflow-protocol";

/** The members of a group in declared order: the step of each that has ended, null for the others. */
export function membersOf(
  { columns }: Pick<ThreadIndex, "columns">,
  group: StepGroup,
): ({ round: number; outcome: string } | null)[] {
  const members = Array.from<{ round: number; outcome: string } | null>({ length: group.of }).fill(
    null,
  );
  for (let at = group.entry; at < columns.group.length && at < group.entry + group.of; at += 1) {
    const own = columns.group[at];
    if (own == null || !isSameGroup(own, group)) break;
    members[own.index] = { round: at + 1, outcome: columns.outcome[at] ?? "ok" };
  }
  return members;
}
