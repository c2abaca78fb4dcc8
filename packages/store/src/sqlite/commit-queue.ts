/** Commits changes to several threads of this process together: on a disk that flushes slowly, the number of flushes is
 *  the whole cost.
 *
 *  1. Changes requested in one turn of the event loop form one transaction, hence one flush. SQLite blocks the process
 *     while it flushes, so whatever is requested meanwhile is in the next one.
 *  2. A change that is refused rolls back its own part only.
 *  3. A change is acknowledged once its transaction is on disk. If that fails, all changes in it fail. */
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import type { ThreadIndex } from "./thread-index.ts";

/** Runs `body` in a transaction, possibly with others; `body` may be called more than once. Rejects with what `body`
 *  throws. `what` names the operation, as in `ThreadIndex.change`. */
export type Commit = <T>(what: string, body: () => T) => Promise<T>;

/** `attempt` makes the change and returns a callback that reports it once the transaction is on disk. */
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

/** One of several changes: its errors are its own, unless SQLite rolled back the whole transaction. */
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

/** Throws `cause` when no transaction is left in which to roll back a part. */
function takeBack(index: ThreadIndex, cause: unknown): void {
  try {
    index.sql("ROLLBACK TO part").run();
    index.sql("RELEASE part").run();
  } catch {
    throw cause;
  }
}
