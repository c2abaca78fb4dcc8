import { WORKFLOW_NAME_PATTERN } from "@uncaged/workflow-protocol";

/** Why a new workflow cannot be called that; null: it can, or nothing has been typed. */
export function nameFault(name: string, taken: readonly { name: string }[]): string | null {
  if (name === "") return null;
  if (taken.some((each) => each.name === name)) return "there is one of this name: edit that one";
  return WORKFLOW_NAME_PATTERN.test(name) ? null : "small letters, digits, . _ and - only";
}
