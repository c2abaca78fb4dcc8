/** What a store does, written once for every database.
 *
 *  An operation is a generator: it yields statements, and is resumed with their answers. Whoever runs it decides whether it
 *  waits for them: SQLite answers at once, in this process; PostgreSQL over the network. It may be run again from the
 *  beginning, so it changes nothing but the store. */
import type { HistoryLine } from "@uncaged/workflow-protocol";
import type { NamedRow } from "./thread-columns.ts";

export type Operation<T> = Generator<Request, T, Answer>;

export type Request =
  | Statement
  /** Asks for the time of the store. `nowMs`: the caller's, Unix milliseconds. */
  | { kind: "time"; nowMs: number }
  /** Appends to the history, which is durable no later than the transaction. */
  | { kind: "history"; line: HistoryLine }
  | { kind: "history"; removed: { threadId: string; bundleHash: string; removedAt: number } }
  /** Drops removed threads from the history; answers with their number. */
  | { kind: "history"; forget: { endedBefore: number } };

/** A statement in the SQL that SQLite and PostgreSQL share; `:threadId` stands for a value. */
export type Statement = {
  kind: "statement";
  text: string;
  values: Values;
  /** What is read of the answer: the number of changed rows, one row or all of them; wide rows come as arrays. */
  want: "changes" | "row" | "rows" | "wide row" | "wide rows";
};

export type Values = Readonly<Record<string, string | number | bigint | null | Uint8Array>>;
export type Answer = {
  changes: number;
  rows: readonly NamedRow[];
  wide: readonly unknown[];
  nowMs: number;
};

/** An operation by name, and whether it has to be a transaction. */
export type Deed<T> = {
  /** For an error message: "cannot <what>". */
  what: string;
  /** `owned rows`: of threads whose fences it names. Of those and of sums, any number may change at the same time. */
  changes: "nothing" | "owned rows" | "anything";
  operation: () => Operation<T>;
};

/** How a database carries out a deed. */
export type Perform = <T>(deed: Deed<T>) => Promise<T>;

/** One transaction, in which nothing else of the root changes. */
export function changing<T>(what: string, operation: () => Operation<T>): Deed<T> {
  return { what, changes: "anything", operation };
}

/** One transaction, of which the order with others of its kind does not matter. */
export function owning<T>(what: string, operation: () => Operation<T>): Deed<T> {
  return { what, changes: "owned rows", operation };
}

/** No transaction: each statement sees what is there when it runs. */
export function reading<T>(what: string, operation: () => Operation<T>): Deed<T> {
  return { what, changes: "nothing", operation };
}

export const NOTHING: Answer = { changes: 0, rows: [], wide: [], nowMs: 0 };

/** The request as of the time of the store. Whether a lease has expired is not for the clocks of its callers to say. */
export function* timed<T extends { nowMs: number }>(request: T): Operation<T> {
  const { nowMs } = yield { kind: "time", nowMs: request.nowMs };
  return { ...request, nowMs };
}

/** Returns the number of rows that changed. */
export function* change(text: string, values: Values = {}): Operation<number> {
  const { changes } = yield { kind: "statement", text, values, want: "changes" };
  return changes;
}

export function* one(text: string, values: Values = {}): Operation<NamedRow | undefined> {
  const { rows } = yield { kind: "statement", text, values, want: "row" };
  return rows[0];
}

export function* all(text: string, values: Values = {}): Operation<readonly NamedRow[]> {
  const { rows } = yield { kind: "statement", text, values, want: "rows" };
  return rows;
}

export function* oneWide(text: string, values: Values = {}): Operation<unknown> {
  const { wide } = yield { kind: "statement", text, values, want: "wide row" };
  return wide[0];
}

export function* allWide(text: string, values: Values = {}): Operation<readonly unknown[]> {
  const { wide } = yield { kind: "statement", text, values, want: "wide rows" };
  return wide;
}
