import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { ProcessRow, ProcessTable } from "./process-row.ts";

/** Linux. A process may vanish between two reads: whatever cannot be read counts as absent. */
export const procTable: ProcessTable = {
  read: (pid) => {
    const stat = readProc(`${pid}/stat`);
    return stat === null ? null : parseStat(stat);
  },

  list: () => pids().flatMap((pid) => procTable.read(pid) ?? []),

  variable: (name) => {
    const values = new Map<number, string>();
    for (const pid of pids()) {
      const value = environmentValue(readProc(`${pid}/environ`) ?? "", name);
      if (value !== null) values.set(pid, value);
    }
    return values;
  },

  bootId: () =>
    `${readProc("sys/kernel/random/boot_id")?.trim() ?? "unknown"}/${pidNamespace() ?? "unknown"}`,

  machine: () => {
    const id = MACHINE_FILES.map(readText).find((text) => text !== null && text.trim() !== "");
    return id?.trim() ?? null;
  },
};

/** machine-id(5). A container may have none. */
const MACHINE_FILES = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/** Parses one line of `/proc/<pid>/stat`: `pid (name) state parent group session …`. The name may contain spaces and
 *  parentheses, so the fields are counted from the last parenthesis (proc(5)). */
export function parseStat(stat: string): ProcessRow | null {
  const nameEnd = stat.lastIndexOf(")");
  const fields = stat.slice(nameEnd + 2).split(" ");
  const [state, parent, group, session] = fields;
  // Field 22 of the line, in clock ticks since boot; `state` is field 3.
  const startedAt = fields[19];
  if (nameEnd === -1 || state === undefined || startedAt === undefined) return null;
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt,
    defunct: state === "Z" || state === "X",
    stopped: state === "T" || state === "t",
  };
}

function environmentValue(environ: string, name: string): string | null {
  const entry = environ.split("\0").find((each) => each.startsWith(`${name}=`));
  return entry === undefined ? null : entry.slice(name.length + 1);
}

function pids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function pidNamespace(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return null;
  }
}

function readProc(path: string): string | null {
  return readText(`/proc/${path}`);
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
