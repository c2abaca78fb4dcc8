import type { ThreadStatus } from "@uncaged/workflow-protocol";

/** Statuses as a list of SQL texts. They are constants of ours: nothing from outside comes here. */
export function quoted(statuses: readonly ThreadStatus[]): string {
  return statuses.map((status) => `'${status}'`).join(", ");
}
