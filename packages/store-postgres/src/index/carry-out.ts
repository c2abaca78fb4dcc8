import {
  type Answer,
  type Deed,
  encodeHistoryLine,
  NOTHING,
  type Operation,
  type Request,
  type Statement,
} from "@uncaged/workflow-store/backend";
import type { Database, Query, Rows, Transaction } from "../database/database.ts";
import { translated } from "../tables/dialect.ts";

/** Carries out a deed, statement by statement. */
export async function carryOut<T>(database: Database, deed: Deed<T>): Promise<T> {
  const { what, changes, operation } = deed;
  if (changes === "nothing") {
    const query = (each: Query): Promise<Rows> => database.query(what, each);
    return await answering(operation(), { query, now: database.now });
  }
  const lock = changes === "anything" ? "exclusive" : "shared";
  return await database.transaction(what, lock, (transaction) =>
    answering(operation(), transaction),
  );
}

type Ask = Pick<Transaction, "query" | "now">;

async function answering<T>(operation: Operation<T>, ask: Ask): Promise<T> {
  let step = operation.next();
  while (!step.done) step = operation.next(await answerTo(step.value, ask));
  return step.value;
}

async function answerTo(request: Request, ask: Ask): Promise<Answer> {
  if (request.kind === "statement") return await answerOf(request, ask);
  if (request.kind === "time") return { ...NOTHING, nowMs: await ask.now(request.nowMs) };
  const { changes } = await ask.query(historyQuery(request));
  return { ...NOTHING, changes };
}

async function answerOf({ text, values, want }: Statement, ask: Ask): Promise<Answer> {
  const { text: sql, names, columns } = translated(text);
  const query = { text: sql, values: names.map((name) => values[name]) };
  if (want === "wide row" || want === "wide rows") {
    const { rows } = await ask.query({ ...query, rowMode: "array" });
    return { ...NOTHING, wide: rows };
  }
  const { rows, changes } = await ask.query(query);
  if (want === "changes") return { ...NOTHING, changes };
  return { ...NOTHING, rows: rows.map((row) => named(row, columns)) };
}

function named(row: unknown, columns: ReadonlyMap<string, string>): Record<string, unknown> {
  const values = typeof row === "object" && row !== null ? Object.entries(row) : [];
  return Object.fromEntries(values.map(([name, value]) => [columns.get(name) ?? name, value]));
}

function historyQuery(request: Extract<Request, { kind: "history" }>): Query {
  if ("line" in request) {
    const { threadId, finishedAt } = request.line;
    return { text: END, values: [threadId, finishedAt, encodeHistoryLine(request.line)] };
  }
  if ("removed" in request) {
    const { threadId, removedAt } = request.removed;
    return { text: REMOVE, values: [threadId, removedAt] };
  }
  return { text: FORGET, values: [request.forget.endedBefore] };
}

// The last end counts, and so does the last removal.
const END = `
  INSERT INTO ended VALUES ($1, $2, $3)
  ON CONFLICT (threadId) DO UPDATE SET finishedAt = $2, line = $3 WHERE ended.finishedAt <= $2`;

const REMOVE = `
  INSERT INTO removed VALUES ($1, $2)
  ON CONFLICT (threadId) DO UPDATE SET removedAt = greatest(removed.removedAt, $2)`;

// Of the latest removal the time is kept.
const FORGET = `
  WITH gone AS (
    SELECT threadId, removedAt FROM removed LEFT JOIN ended USING (threadId)
    WHERE coalesce(finishedAt, removedAt) <= removedAt AND coalesce(finishedAt, removedAt) < $1
  ), ends AS (
    DELETE FROM ended USING gone WHERE ended.threadId = gone.threadId
  ), removals AS (
    DELETE FROM removed USING gone WHERE removed.threadId = gone.threadId
      AND removed.removedAt < (SELECT max(removedAt) FROM removed)
  )
  SELECT threadId FROM gone`;
