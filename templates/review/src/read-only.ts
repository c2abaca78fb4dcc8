import type { RoleDefinition } from "@uncaged/workflow-runtime";

/** Nobody in a review edits. Commands may be run, for there is no diff without git. */
export const READ_ONLY: NonNullable<RoleDefinition["tools"]> = {
  deny: [{ kind: "edit" }, { kind: "delete" }, { kind: "move" }],
};
