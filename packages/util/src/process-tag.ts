/** Which processes belong to a run.
 *
 *  Every process that the engine starts for a step carries `UNCAGED_RUN_MARK=<threadId>:<fence>:<suffix>`, and its
 *  children inherit it, whatever group or session they move to.
 *
 *  1. A run's members are the processes that carry its tag, everything below them in the tree (which may have
 *     cleared its environment), and the groups and sessions that they lead.
 *  2. This process and its ancestors are never members: a command may run inside the run that it ends.
 *  3. There is no way to opt out: a tag that was emptied or changed hides nothing below a member, or in its group or
 *     session. A process meant to outlive a run (the runner of a thread that an agent starts) is started outside it:
 *     with its own tag, in its own session, and below none of the run's processes.
 *  4. A group without a living leader belongs to the run when it contains a member; a session does only when its
 *     leader is a member or was named, since a session may be somebody's terminal. */
import { PROCESS_TAG_ENV } from "@uncaged/workflow-protocol";
import type { ProcessRow } from "./process-row.ts";
import { processTable } from "./process-table.ts";

export type Run = {
  /** A whole tag, or its first parts: `T`, `T:` and `T:1` match `T:1:x`, but not `T:12`. Of several, any. */
  tag: string | readonly string[];
  /** Processes that led a group and a session of the run, and may be gone. */
  leaders?: readonly number[];
  /** Members found earlier, pid to start time. Their parents may be gone, and with them the only sign of where they
   *  belong. */
  known?: ReadonlyMap<number, string>;
};

/** Pids of the living processes that carry a tag of the run in their environment. */
export function findTagged(tag: string): number[] {
  const rows = processTable.list();
  const tags = processTable.variable(PROCESS_TAG_ENV);
  const own = lineage(rows, process.pid);
  return rows
    .filter(({ pid, defunct }) => !defunct && !own.has(pid) && hasTag(tags.get(pid), tag))
    .map(({ pid }) => pid);
}

/** Living processes with this variable in their environment, and its value. */
export function processesWith(variable: string): Map<number, string> {
  const values = processTable.variable(variable);
  for (const pid of values.keys()) {
    if (processTable.read(pid)?.defunct !== false) values.delete(pid);
  }
  return values;
}

/** All current members of the run. */
export function runMembers(run: Run): ProcessRow[] {
  return membersAmong(processTable.list(), {
    ...run,
    tags: processTable.variable(PROCESS_TAG_ENV),
    selfPid: process.pid,
  });
}

/** The same, over a given table. */
export function membersAmong(
  rows: readonly ProcessRow[],
  run: Run & { tags: ReadonlyMap<number, string>; selfPid: number },
): ProcessRow[] {
  const { tags, leaders = [], known } = run;
  const own = lineage(rows, run.selfPid);
  const alive = new Set(rows.filter((row) => !row.defunct).map((row) => row.pid));
  const ownGroups = new Set(rows.filter((row) => own.has(row.pid)).map((row) => row.group));
  const free = rows.filter((row) => !row.defunct && row.pid > 1 && !own.has(row.pid));
  const members = new Map<number, ProcessRow>();
  const groups = new Set(leaders);
  const sessions = new Set(leaders);
  const belongs = (row: ProcessRow): boolean =>
    hasTag(tags.get(row.pid), run.tag) ||
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

function hasTag(value: string | undefined, tag: string | readonly string[]): boolean {
  if (value === undefined || tag === "") return false;
  if (typeof tag !== "string") return tag.some((each) => hasTag(value, each));
  return value === tag || value.startsWith(tag.endsWith(":") ? tag : `${tag}:`);
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
