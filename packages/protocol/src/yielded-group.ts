import type { RoleGroup, RoleOutput, WorkflowYield } from "./workflow-runtime.ts";

/** Name of a group that is yielded as a bare list. */
const UNNAMED = "group";

/** The group that a workflow yielded; null: it yielded the output of a step. Its fields are not checked. */
export function yieldedGroup(yielded: WorkflowYield): RoleGroup | null {
  if (Array.isArray(yielded)) return { name: UNNAMED, members: yielded };
  return isObject(yielded) && "members" in yielded ? yielded : null;
}

/** The output of a step that a workflow yielded; null: it yielded a group. */
export function yieldedOutput(yielded: WorkflowYield): RoleOutput | null {
  return isObject(yielded) && "role" in yielded ? yielded : null;
}

/** A bundle may yield anything. */
function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
