import type { ProcessIdentity } from "@uncaged/workflow-protocol";
import { processTable } from "./process-table.ts";

/** Names a process beyond doubt: pids are reused, a pid with its start time and boot is not.
 *  Null when there is no such process. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const row = processTable.read(pid);
  if (row === null || row.defunct) return null;
  return { pid, startedAt: row.startedAt, bootId: processTable.bootId() };
}

let own: ProcessIdentity | undefined;

/** Who we are. Where the system does not tell, an identity that is never called dead while the pid is in use. */
export function ownIdentity(): ProcessIdentity {
  own ??= identifyProcess(process.pid) ?? {
    pid: process.pid,
    startedAt: UNKNOWN,
    bootId: processTable.bootId(),
  };
  return own;
}

const UNKNOWN = "unknown";

/** Whether a process that was identified earlier, maybe by another program, still runs.
 *
 *  `dead` is certain, and a lease may be taken over on its strength: the machine has restarted since,
 *  or the pid is free, has another owner, or is a zombie. `unknown`: it lives in another pid namespace
 *  (a container), or belongs to someone whose processes we may not see. */
export function livenessOf(identity: ProcessIdentity): "alive" | "dead" | "unknown" {
  const [boot, namespace] = identity.bootId.split("/", 2);
  const [boot0, namespace0] = processTable.bootId().split("/", 2);
  if (boot !== boot0) return "dead";
  if (namespace !== namespace0) return "unknown";
  const row = processTable.read(identity.pid);
  if (row === null) return isFree(identity.pid) ? "dead" : "unknown";
  if (row.defunct) return "dead";
  if (identity.startedAt === UNKNOWN) return "unknown";
  return row.startedAt === identity.startedAt ? "alive" : "dead";
}

function isFree(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "ESRCH";
  }
}
