/** Changes of several threads of this process, committed together: on a disk that flushes slowly, the
 *  number of flushes is the whole cost.
 *
 *  1. What is asked for in one turn of the event loop is one transaction, hence one flush. SQLite holds
 *     the process up while it flushes, so whoever finished meanwhile is in the next one.
 *  2. A change that is refused takes back its own part and no other's.
 *  3. A change is acknowledged once the transaction it is part of is on disk. When that fails, all
 *     of them fail. */
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import type { ThreadIndex } from "./thread-index.ts";

/** Runs `body` in a transaction, perhaps with others; `body` may be called more than once. Rejects with
 *  what `body` throws. `what` names the deed, as in `ThreadIndex.change`. */
export type Commit = <T>(what: string, body: () => T) => Promise<T>;

/** `attempt` does the change and returns what is to be told once the transaction is on disk. */
type Waiting = { what: string; attempt: () => () => void; reject: (cause: unknown) => void };

export function commitQueue(index: ThreadIndex): Commit {
  let waiting: Waiting[] = [];
  return (what, body) =>
    new Promise((resolve, reject) => {
      const attempt = (): (() => void) => {
        const value = body();
        return () => resolve(value);
      };
      if (waiting.length === 0) {
        setImmediate(() => {
          const group = waiting;
          waiting = [];
          void commitGroup(index, group);
        });
      }
      waiting.push({ what, attempt, reject });
    });
}

/** Settles all of them; never rejects. */
async function commitGroup(index: ThreadIndex, group: readonly Waiting[]): Promise<void> {
  try {
    const settled = await retryWhileBusy(() => together(index, group));
    for (const settle of settled) settle();
  } catch (cause) {
    for (const { reject } of group) reject(cause);
  }
}

function together(index: ThreadIndex, group: readonly Waiting[]): (() => void)[] {
  const [only] = group;
  if (only !== undefined && group.length === 1) return [index.transaction(only.what, only.attempt)];
  return index.transaction(`commit ${group.length} changes`, () =>
    group.map((each) => partly(index, each)),
  );
}

/** One of several changes: what it throws is its own, unless SQLite gave the whole transaction up. */
function partly(index: ThreadIndex, { what, attempt, reject }: Waiting): () => void {
  index.sql("SAVEPOINT part").run();
  try {
    const settle = index.read(what, attempt);
    index.sql("RELEASE part").run();
    return settle;
  } catch (cause) {
    takeBack(index, cause);
    return () => reject(cause);
  }
}

/** Throws `cause` when there is no transaction left that could take a part back. */
function takeBack(index: ThreadIndex, cause: unknown): void {
  try {
    index.sql("ROLLBACK TO part").run();
    index.sql("RELEASE part").run();
  } catch {
    throw cause;
  }
}
