import { isPersonWait, type PersonWait, type Wait } from "@uncaged/workflow-protocol";
import { memberName } from "./member-name.ts";

/** The prefix before the words of a thread that waits for a person. */
export function waitingFor(wait: Wait): string {
  if (isPersonWait(wait)) return `${personName(wait)}${wait.permission === true ? " asks" : ""}:`;
  if (wait.kind === "coordinator") return "done, and waits for its coordinator:";
  return wait.kind === "limit" ? "waits:" : `${wait.role} asks:`;
}

/** The role; for a member of a group, with its place. */
function personName({ role, member, group }: PersonWait): string {
  if (member === undefined || group === undefined) return role;
  const { name, entry, of } = group;
  return memberName({ role, group: { name, entry, index: member, of } });
}
