/** Which processes belong to a run.
 *
 *  Every process that the engine starts for a step carries `UNCAGED_RUN_MARK=<threadId>:<fence>:<tag>`
 *  and its children inherit it, whatever group or session they move to.
 *
 *  1. A run's members are the processes that carry its mark, everything below them in the tree (they may
 *     have cleared their environment), and the groups and sessions that they lead.
 *  2. We ourselves and our ancestors are never members: a command may run inside the run that it ends.
 *  3. There is no way to be let go: a mark that was emptied or changed hides nothing that is below a member, or in
 *     its group or session. What is to outlive a run (the runner of a thread that an agent starts) is started
 *     outside of it: with a mark of its own, in a session of its own, and below none of the run's processes.
 *  4. A group without a living leader belongs to the run when a member is in it; a session does only when
 *     its leader is a member or was named, since a session may be somebody's terminal. */
import { RUN_MARK_ENV } from "@uncaged/workflow-protocol";
import type { ProcessRow } from "./process-row.ts";
import { processTable } from "./process-table.ts";

export type Run = {
  /** A whole mark, or the first of its parts: `T`, `T:` and `T:1` stand for `T:1:x`, but not for `T:12`. Of
   *  several, any. */
  mark: string | readonly string[];
  /** Processes that led a group and a session of the run, and may be gone by now. */
  leaders?: readonly number[];
  /** Members of an earlier look, pid to start time. Their parents may be gone by now, and with them
   *  the only sign of whose they are. */
  known?: ReadonlyMap<number, string>;
};

/** Pids of the living processes that carry a mark of the run in their environment. */
export function findMarked(mark: string): number[] {
  const rows = processTable.list();
  const marks = processTable.variable(RUN_MARK_ENV);
  const own = lineage(rows, process.pid);
  return rows
    .filter(({ pid, defunct }) => !defunct && !own.has(pid) && hasMark(marks.get(pid), mark))
    .map(({ pid }) => pid);
}

/** Living processes that have this variable in their environment, with its value. */
export function processesWith(variable: string): Map<number, string> {
  const values = processTable.variable(variable);
  for (const pid of values.keys()) {
    if (processTable.read(pid)?.defunct !== false) values.delete(pid);
  }
  return values;
}

/** All living members of the run, as of now. */
export function runMembers(run: Run): ProcessRow[] {
  return membersAmong(processTable.list(), {
    ...run,
    marks: processTable.variable(RUN_MARK_ENV),
    selfPid: process.pid,
  });
}

/** The same, over a given table. */
export function membersAmong(
  rows: readonly ProcessRow[],
  run: Run & { marks: ReadonlyMap<number, string>; selfPid: number },
): ProcessRow[] {
  const { marks, leaders = [], known } = run;
  const own = lineage(rows, run.selfPid);
  const alive = new Set(rows.filter((row) => !row.defunct).map((row) => row.pid));
  const ownGroups = new Set(rows.filter((row) => own.has(row.pid)).map((row) => row.group));
  const free = rows.filter((row) => !row.defunct && row.pid > 1 && !own.has(row.pid));
  const members = new Map<number, ProcessRow>();
  const groups = new Set(leaders);
  const sessions = new Set(leaders);
  const belongs = (row: ProcessRow): boolean =>
    hasMark(marks.get(row.pid), run.mark) ||
    known?.get(row.pid) === row.startedAt ||
    members.has(row.parent) ||
    groups.has(row.group) ||
    sessions.has(row.session);
  for (let before = -1; before < members.size; ) {
    before = members.size;
    for (const row of free) {
      if (members.has(row.pid) || !belongs(row)) continue;
      members.set(row.pid, row);
      sessions.add(row.pid);
      const leaderless = !alive.has(row.group) && !ownGroups.has(row.group);
      if (row.group === row.pid || leaderless) groups.add(row.group);
    }
  }
  return [...members.values()];
}

function hasMark(value: string | undefined, mark: string | readonly string[]): boolean {
  if (value === undefined || mark === "") return false;
  if (typeof mark !== "string") return mark.some((each) => hasMark(value, each));
  return value === mark || value.startsWith(mark.endsWith(":") ? mark : `${mark}:`);
}

/** A process and its ancestors. */
function lineage(rows: readonly ProcessRow[], pid: number): Set<number> {
  const parents = new Map(rows.map((row) => [row.pid, row.parent]));
  const line = new Set<number>();
  for (let next: number | undefined = pid; next !== undefined && !line.has(next); ) {
    line.add(next);
    next = parents.get(next);
  }
  return line;
}
