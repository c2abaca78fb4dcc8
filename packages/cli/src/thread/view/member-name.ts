import type { StepGroup } from "@uncaged/workflow-protocol";
import { printableLine } from "../../terminal/printable.ts";

/** A role's name, and which member of its group it is: `reviewer [reviews 2/4]`, counted from 1 in declared order. */
export function memberName({ role, group }: { role: string; group?: StepGroup }): string {
  if (group === undefined) return role;
  return `${role} [${printableLine(group.name, 60)} ${group.index + 1}/${group.of}]`;
}
