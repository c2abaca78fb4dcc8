import { hash } from "node:crypto";
import { hostname } from "node:os";
import { processTable } from "./process-table.ts";

/** Stands for a machine about which nothing is known: it equals no other machine, not even itself. */
export const UNKNOWN_MACHINE = "unknown";

let own: string | undefined;

/** A name for this machine that survives restarts. It hashes the system's own id, which must not be exposed
 *  (machine-id(5)), together with the host name, because copies of one disk image often share the id. */
export function machineId(): string {
  own ??= nameOf(processTable.machine(), hostname());
  return own;
}

export function nameOf(id: string | null, host: string): string {
  if (id === null) return UNKNOWN_MACHINE;
  return hash("sha256", `uncaged-workflow\n${id}\n${host}`).slice(0, 16);
}
