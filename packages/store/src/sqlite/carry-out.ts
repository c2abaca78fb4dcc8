import { forgetRemoved } from "../history/forget-removed.ts";
import { appendHistory, appendRemoval } from "../history/history.ts";
import {
  type Answer,
  type Deed,
  NOTHING,
  type Operation,
  type Request,
  type Statement,
} from "../operations/operation.ts";
import type { ThreadIndex } from "./thread-index.ts";

/** Carries out a deed at once. SQLite is called synchronously: a change is one flush, which a thread pool would only
 *  delay. */
export function carryOut<T>(index: ThreadIndex, { what, changes, operation }: Deed<T>): T {
  const body = (): T => answering(index, operation());
  return changes === "nothing" ? index.read(what, body) : index.transaction(what, body);
}

/** Part of the caller's transaction. */
export function answering<T>(index: ThreadIndex, operation: Operation<T>): T {
  let step = operation.next();
  while (!step.done) step = operation.next(answerTo(index, step.value));
  return step.value;
}

function answerTo(index: ThreadIndex, request: Request): Answer {
  if (request.kind === "statement") return answerOf(index, request);
  // The callers are on the machine that has the file: their clock is its clock.
  if (request.kind === "time") return { ...NOTHING, nowMs: request.nowMs };
  if ("line" in request) appendHistory(index.root, request.line);
  else if ("removed" in request) appendRemoval(index.root, request.removed);
  else return { ...NOTHING, changes: forgetRemoved(index.root, request.forget.endedBefore) };
  return NOTHING;
}

function answerOf(index: ThreadIndex, { text, values, want }: Statement): Answer {
  switch (want) {
    case "changes":
      return { ...NOTHING, changes: Number(index.sql(text).run(values).changes) };
    case "row":
      return { ...NOTHING, rows: those(index.sql(text).get(values)) };
    case "rows":
      return { ...NOTHING, rows: index.sql(text).all(values) };
    case "wide row":
      return { ...NOTHING, wide: those(index.arrays(text).get(values)) };
    case "wide rows":
      return { ...NOTHING, wide: index.arrays(text).all(values) };
  }
}

function those<T>(row: T | undefined): T[] {
  return row === undefined ? [] : [row];
}
