import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "./sqlite-failure.ts";

/** How long SQLite itself waits, blocking this process: cheap, and far longer than the few transactions, of about a
 *  flush each, that are usually ahead. */
export const BLOCKING_WAIT_MS = 250;

/** How long a call tries in total. When 200 processes publish without a pause on two cores, the unluckiest waits about
 *  five seconds. */
const PATIENCE_MS = 30_000;
const LONGEST_PAUSE_MS = 100;

/** Calls `attempt` again while another process holds the database. A busy call has changed nothing, so repeating it is
 *  safe. The pauses are random: SQLite's own pauses grow, so a process that keeps losing to newcomers would starve.
 *  Meanwhile this process does other work. */
export async function retryWhileBusy<T>(
  attempt: () => T,
  now: () => number = Date.now,
): Promise<T> {
  const giveUpAt = now() + PATIENCE_MS;
  while (true) {
    try {
      return attempt();
    } catch (thrown) {
      if (!isBusy(thrown) || now() >= giveUpAt) throw thrown;
    }
    await sleep(Math.random() * LONGEST_PAUSE_MS);
  }
}
