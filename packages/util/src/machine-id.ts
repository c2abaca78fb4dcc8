import { hash } from "node:crypto";
import { hostname } from "node:os";
import { processTable } from "./process-table.ts";

/** What stands for a machine of which nothing is known: it is the same as no other, not even as itself. */
export const UNKNOWN_MACHINE = "unknown";

let own: string | undefined;

/** Name of this machine, the same after a restart. The system's own id is not passed on as it is (machine-id(5)),
 *  and its host name is part of ours: copies of one disk image often share the id. */
export function machineId(): string {
  own ??= nameOf(processTable.machine(), hostname());
  return own;
}

export function nameOf(id: string | null, host: string): string {
  if (id === null) return UNKNOWN_MACHINE;
  return hash("sha256", `uncaged-workflow\n${id}\n${host}`).slice(0, 16);
}
