/** What keeps a coordinator from starting another worker, and how much the next one may use.
 *
 *  The budget is dealt out before it is spent: a worker's thread gets a limit of its own, and the limits of those under
 *  way and the use of those that ended never exceed the share. So each worker can exceed its part by the one call with
 *  which it reaches it, whoever runs beside it. */
import { boundsOf, type Coordinates, type Limits } from "@uncaged/workflow-protocol";
import {
  underWay,
  usedBy,
  usedByEnded,
  type Worker,
  type WorkerBook,
} from "../chain/worker-book.ts";

export type Budget = Pick<Limits, "tokens" | "costUsd">;

/** `thread`: the limits of the thread, and what it had used when the step began. */
export type Purse = { limits: Limits; used: { tokens: number; costUsd: number } };

/** `part`: what the next worker may use; `refusal`: why there is none, in words for the coordinator. */
export function nextPart(
  book: WorkerBook,
  coordinates: Coordinates,
  { purse, nowMs }: { purse: Purse; nowMs: number },
): { part: Budget } | { refusal: string } {
  const { atOnce, max } = boundsOf(coordinates);
  const busy = underWay(book);
  if (book.workers.size >= max)
    return { refusal: `no more than ${max} workers may be started in all, and ${max} were` };
  if (busy.length >= atOnce)
    return {
      refusal: `no more than ${atOnce} workers may run at once, and ${busy.map(({ id }) => id).join(", ")} are running; end your turn, and you are told when one has ended`,
    };
  return dealt(book, coordinates, { purse, nowMs, has: { tokens: 0, costUsd: 0 } });
}

/** The same for a worker that has ended and is told to go on. `part`: with what it has used, because others may have been
 *  dealt what it left over. */
export function partAnew(
  book: WorkerBook,
  worker: Worker,
  { coordinates, purse, nowMs }: { coordinates: Coordinates; purse: Purse; nowMs: number },
): { part: Budget } | { refusal: string } {
  const { atOnce } = boundsOf(coordinates);
  if (underWay(book).length >= atOnce)
    return {
      refusal: `no more than ${atOnce} workers may run at once; end your turn, and you are told when one has ended`,
    };
  return dealt(book, coordinates, { purse, nowMs, has: usedBy(worker) });
}

/** `has`: what whoever gets the part has used of the share before. */
function dealt(
  book: WorkerBook,
  coordinates: Coordinates,
  { purse, nowMs, has }: { purse: Purse; nowMs: number; has: Purse["used"] },
): { part: Budget } | { refusal: string } {
  const endsAt = deadlineOf(book, coordinates);
  if (endsAt !== null && nowMs >= endsAt)
    return { refusal: `the time for workers is over (${coordinates.timeoutMs} ms)` };
  const free = boundsOf(coordinates).atOnce - underWay(book).length;
  const part: Budget = {};
  for (const bound of ["tokens", "costUsd"] as const) {
    const left = leftOf(bound, book, { coordinates, purse });
    if (left === null) continue;
    const amount = bound === "tokens" ? Math.floor(left / free) : left / free;
    if (amount <= 0) return { refusal: spent(bound, coordinates) };
    part[bound] = has[bound] + amount;
  }
  return { part };
}

/** When the workers are ended, Unix milliseconds; null: never, or none was started. */
export function deadlineOf({ workers }: WorkerBook, { timeoutMs }: Coordinates): number | null {
  const [first] = workers.values();
  return first === undefined || timeoutMs === undefined ? null : first.startedAt + timeoutMs;
}

/** null: there is no limit. */
function leftOf(
  bound: "tokens" | "costUsd",
  book: WorkerBook,
  { coordinates, purse }: { coordinates: Coordinates; purse: Purse },
): number | null {
  const limit = purse.limits[bound];
  if (limit === undefined) return null;
  const { budgetShare } = boundsOf(coordinates);
  const share = Math.min(limit * budgetShare, limit - purse.used[bound]);
  const dealt = underWay(book).reduce((sum, { limits }) => sum + (limits[bound] ?? 0), 0);
  return share - usedByEnded(book)[bound] - dealt;
}

function spent(bound: "tokens" | "costUsd", coordinates: Coordinates): string {
  const { budgetShare } = boundsOf(coordinates);
  const what = bound === "tokens" ? "tokens" : "cost";
  return `the share of the thread's budget that workers may use (${Math.round(budgetShare * 100)} % of its ${what}) is used, or dealt out to those that run`;
}
