import type { ProcessIdentity } from "@uncaged/workflow-protocol";
import { machineId, UNKNOWN_MACHINE } from "./machine-id.ts";
import { processTable } from "./process-table.ts";

/** Identifies a process unambiguously: a pid is reused, but not together with its start time and boot. Null when
 *  there is no such process. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const row = processTable.read(pid);
  if (row === null || row.defunct) return null;
  return { pid, startedAt: row.startedAt, bootId: here() };
}

let own: ProcessIdentity | undefined;

/** This process. Where the system reports too little, an identity that is never called dead while the pid is in use. */
export function ownIdentity(): ProcessIdentity {
  own ??= identifyProcess(process.pid) ?? {
    pid: process.pid,
    startedAt: UNKNOWN,
    bootId: here(),
  };
  return own;
}

const UNKNOWN = "unknown";

/** Where a process runs, `<boot>/<pid namespace>/<machine>`. Older identities lack the third part. */
function here(): string {
  return `${processTable.bootId()}/${machineId()}`;
}

/** Whether a process that was identified earlier, possibly by another program, still runs.
 *
 *  `dead` is certain, so a lease may be taken over because of it: this machine has restarted since, or the pid is
 *  free, has been reused, or is a zombie. `unknown`: the process is on another or an unnamed machine, in another pid
 *  namespace (a container), or belongs to a user whose processes we may not see. */
export function livenessOf(identity: ProcessIdentity): "alive" | "dead" | "unknown" {
  const boot = bootOf(identity.bootId, here());
  if (boot !== "this") return boot === "earlier" ? "dead" : "unknown";
  const row = processTable.read(identity.pid);
  if (row === null) return isFree(identity.pid) ? "dead" : "unknown";
  if (row.defunct) return "dead";
  if (identity.startedAt === UNKNOWN) return "unknown";
  return row.startedAt === identity.startedAt ? "alive" : "dead";
}

/** Whether a process exists but does nothing, not even respond to requests. */
export function isStopped(identity: ProcessIdentity): boolean {
  return livenessOf(identity) === "alive" && processTable.read(identity.pid)?.stopped === true;
}

/** Which boot an identity is from, given the pids that we see. Boot ids are never reused, so an equal one also
 *  proves the same machine; a different one proves a restart only if the machine is known to be this one. */
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
