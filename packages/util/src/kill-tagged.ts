/** Ends every process of a run.
 *
 *  1. SIGINT, then SIGTERM, each followed by a grace period that ends early when no process is left.
 *  2. Then all members are frozen before any is killed: a frozen process cannot start another, and its children stay
 *     below it in the tree while we look for them.
 *  3. The search repeats until it finds nothing, so that processes started meanwhile end as well. A process found
 *     once stays a member, because a signal may end its parent and leave no sign of where it belongs. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessRow } from "./process-row.ts";
import { processTable } from "./process-table.ts";
import { type Run, runMembers } from "./process-tag.ts";

export type EndRequest = Omit<Run, "known"> & {
  /** Milliseconds after SIGINT and again after SIGTERM; 0: SIGKILL at once. Default 2,500. */
  graceMs?: number;
  /** First signal. Programs that a shell put into the background ignore SIGINT. Default SIGINT. */
  first?: "SIGINT" | "SIGTERM";
};

export type EndReport = {
  /** Pids that were found and are gone. */
  ended: number[];
  /** Pids that even SIGKILL did not end in time: they belong to another user, or hang in the kernel. */
  left: number[];
};

const DEFAULT_GRACE_MS = 2_500;
const KILL_WITHIN_MS = 5_000;
const FREEZE_ROUNDS = 20;

/** Resolves when no member of the run is left, or when none of those left can be ended. */
export async function killTagged(request: EndRequest): Promise<EndReport> {
  const { graceMs = DEFAULT_GRACE_MS, first = "SIGINT" } = request;
  const known = new Map<number, string>();
  const members = (): ProcessRow[] => {
    const found = runMembers({ ...request, known });
    for (const row of found) known.set(row.pid, row.startedAt);
    return found;
  };
  const polite = first === "SIGINT" ? (["SIGINT", "SIGTERM"] as const) : (["SIGTERM"] as const);
  let left = members();
  for (const signal of graceMs > 0 ? polite : []) {
    if (left.length === 0) break;
    signalAll(left, signal);
    left = await whileAny(members, graceMs);
  }
  if (left.length > 0) left = await whileAny(() => killFrozen(members), KILL_WITHIN_MS);
  const stay = new Set(left.map((row) => row.pid));
  return { ended: [...known.keys()].filter((pid) => !stay.has(pid)), left: [...stay] };
}

/** Returns the processes found and killed; only the next look shows which are gone. */
function killFrozen(members: () => ProcessRow[]): ProcessRow[] {
  const frozen = new Set<number>();
  let found = members();
  for (let round = 0; round < FREEZE_ROUNDS; round++) {
    const fresh = found.filter((row) => !frozen.has(row.pid));
    if (fresh.length === 0) break;
    signalAll(fresh, "SIGSTOP");
    for (const row of fresh) frozen.add(row.pid);
    found = members();
  }
  signalAll(found, "SIGKILL");
  return found;
}

/** One signal each: many programs take a second SIGINT to mean "now", so a group is not signalled on top of its
 *  members. */
function signalAll(members: readonly ProcessRow[], signal: NodeJS.Signals): void {
  for (const { pid, startedAt } of members) {
    // The pid may have been reused since we looked.
    if (processTable.read(pid)?.startedAt !== startedAt) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // Gone meanwhile, or not ours to signal: in that case it shows up in `left`.
    }
  }
}

/** Looks until nothing is found or the time is up, and returns the last result. Looks often at first, because most
 *  programs end at once. */
async function whileAny(look: () => ProcessRow[], withinMs: number): Promise<ProcessRow[]> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const found = look();
    const leftMs = deadline - performance.now();
    if (found.length === 0 || leftMs <= 0) return found;
    await sleep(Math.min(pauseMs, leftMs));
  }
}
