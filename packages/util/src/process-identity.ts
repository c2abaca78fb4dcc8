import type { ProcessIdentity } from "@uncaged/workflow-protocol";
import { machineId, UNKNOWN_MACHINE } from "./machine-id.ts";
import { processTable } from "./process-table.ts";

/** Names a process beyond doubt: pids are reused, a pid with its start time and boot is not.
 *  Null when there is no such process. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const row = processTable.read(pid);
  if (row === null || row.defunct) return null;
  return { pid, startedAt: row.startedAt, bootId: here() };
}

let own: ProcessIdentity | undefined;

/** Who we are. Where the system does not tell, an identity that is never called dead while the pid is in use. */
export function ownIdentity(): ProcessIdentity {
  own ??= identifyProcess(process.pid) ?? {
    pid: process.pid,
    startedAt: UNKNOWN,
    bootId: here(),
  };
  return own;
}

const UNKNOWN = "unknown";

/** Where a process runs, `<boot>/<pid namespace>/<machine>`. Before there were machines it had two parts. */
function here(): string {
  return `${processTable.bootId()}/${machineId()}`;
}

/** Whether a process that was identified earlier, maybe by another program, still runs.
 *
 *  `dead` is certain, and a lease may be taken over on its strength: this machine has restarted since,
 *  or the pid is free, has another owner, or is a zombie. `unknown`: it lives on another machine or one that was
 *  not named, in another pid namespace (a container), or belongs to someone whose processes we may not see. */
export function livenessOf(identity: ProcessIdentity): "alive" | "dead" | "unknown" {
  const boot = bootOf(identity.bootId, here());
  if (boot !== "this") return boot === "earlier" ? "dead" : "unknown";
  const row = processTable.read(identity.pid);
  if (row === null) return isFree(identity.pid) ? "dead" : "unknown";
  if (row.defunct) return "dead";
  if (identity.startedAt === UNKNOWN) return "unknown";
  return row.startedAt === identity.startedAt ? "alive" : "dead";
}

/** Whether a process is there and does nothing, not even hear what it is asked. */
export function isStopped(identity: ProcessIdentity): boolean {
  return livenessOf(identity) === "alive" && processTable.read(identity.pid)?.stopped === true;
}

/** Of which boot an identity is, with the pids that we see. A boot id is never given twice, so an equal one proves
 *  the machine; a different one proves a restart only of a machine that is known to be this one. */
function bootOf(there: string, here: string): "this" | "earlier" | "unknown" {
  const [boot, namespace, machine = UNKNOWN_MACHINE] = there.split("/", 3);
  const [boot0, namespace0, machine0] = here.split("/", 3);
  const known = boot !== UNKNOWN && boot0 !== UNKNOWN;
  const sameMachine = machine === machine0 && machine !== UNKNOWN_MACHINE;
  if (boot === boot0 ? known || sameMachine : sameMachine && !known) {
    return namespace === namespace0 ? "this" : "unknown";
  }
  return sameMachine ? "earlier" : "unknown";
}

function isFree(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "ESRCH";
  }
}
