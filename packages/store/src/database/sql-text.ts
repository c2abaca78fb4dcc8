import type { ThreadStatus } from "@uncaged/workflow-protocol";

/** Statuses as a list of SQL texts. They are our own constants: no outside input gets here. */
export function quoted(statuses: readonly ThreadStatus[]): string {
  return statuses.map((status) => `'${status}'`).join(", ");
}
