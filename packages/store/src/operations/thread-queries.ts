import type { ThreadRecord, ThreadStore } from "@uncaged/workflow-protocol";
import { searchedFor } from "../threads/thread-words.ts";
import { all, allWide, type Deed, type Operation, oneWide, reading } from "./operation.ts";
import { RECORD_COLUMNS, textOf } from "./thread-columns.ts";
import { recordOf, reversed } from "./thread-rows.ts";

export function* getThread(threadId: string): Operation<ThreadRecord | null> {
  const row = yield* oneWide(GET, { threadId });
  return row === undefined ? null : recordOf(row);
}

const GET = `SELECT ${RECORD_COLUMNS} FROM threads WHERE threadId = :threadId`;

export function readThread(threadId: string): Deed<ThreadRecord | null> {
  return reading(`read thread ${threadId}`, () => getThread(threadId));
}

export function readStartedWith(startKey: string): Deed<ThreadRecord | null> {
  return reading("read the thread of a start key", () => startedWith(startKey));
}

/** The thread that was created with this key. */
export function* startedWith(startKey: string): Operation<ThreadRecord | null> {
  const row = yield* oneWide(`SELECT ${RECORD_COLUMNS} FROM threads WHERE startKey = :startKey`, {
    startKey,
  });
  return row === undefined ? null : recordOf(row);
}

type ThreadFilter = Parameters<ThreadStore["list"]>[0];

/** Newest first, in one query however many there are. */
export function listThreads(filter: ThreadFilter): Deed<ThreadRecord[]> {
  const conditions: string[] = [];
  const values: Record<string, string | number> = {
    limit: filter.limit ?? Number.MAX_SAFE_INTEGER,
  };
  if (filter.workflow !== undefined) {
    conditions.push("workflow = :workflow");
    values.workflow = filter.workflow;
  }
  if (filter.parentThread !== undefined) {
    conditions.push("parentThread = :parentThread");
    values.parentThread = filter.parentThread;
  }
  if (filter.sinceMs !== undefined) {
    conditions.push("createdAt >= :sinceMs");
    values.sinceMs = filter.sinceMs;
  }
  if (filter.after !== undefined) {
    conditions.push("(createdAt, threadId) < (:afterMs, :afterId)");
    values.afterMs = filter.after.createdAt;
    values.afterId = filter.after.threadId;
  }
  for (const [n, word] of searchedFor(filter.text ?? "").entries()) {
    conditions.push(
      `threadId IN (SELECT threadId FROM threadWords WHERE instr(words, :word${n}) > 0)`,
    );
    values[`word${n}`] = word;
  }
  for (const [n, [key, value]] of Object.entries(filter.labels ?? {}).entries()) {
    conditions.push(`labels ->> :key${n} ${value === null ? "IS NOT NULL" : `= :value${n}`}`);
    values[`key${n}`] = key;
    if (value !== null) values[`value${n}`] = value;
  }
  if (filter.suspended) conditions.push("suspendedRole IS NOT NULL");
  if (filter.asking)
    conditions.push("threadId IN (SELECT threadId FROM asks WHERE answer IS NULL)");
  if (filter.unfinished) conditions.push("returnCode IS NULL");
  if (filter.ended !== undefined) {
    conditions.push("status = :ended");
    values.ended = filter.ended;
  }
  if (filter.withLease) conditions.push("leasePid IS NOT NULL");
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const query = `SELECT ${RECORD_COLUMNS} FROM threads ${where}
    ORDER BY createdAt DESC, threadId DESC LIMIT :limit`;
  return reading("list threads", function* () {
    return (yield* allWide(query, values)).map(recordOf);
  });
}

/** Characters of a thread id; anything else matches nothing. */
const ID_PART = /^[0-9A-HJKMNP-TV-Z]{1,26}$/;

/** Ids that begin or end with `part`, ignoring case. Both ends are ranges of an index. */
export function matchThreads(part: string, limit: number): Deed<string[]> {
  const beginning = part.toUpperCase();
  // "~" sorts after every character of an id, so everything in between begins with the part.
  const query = `
    SELECT threadId FROM (SELECT threadId FROM threads
      WHERE threadId >= :beginning AND threadId < :beginning || '~' LIMIT :limit)
    UNION
    SELECT threadId FROM (SELECT threadId FROM threads
      WHERE threadIdReversed >= :end AND threadIdReversed < :end || '~' LIMIT :limit)
    ORDER BY threadId LIMIT :limit`;
  return reading("find a thread", function* () {
    if (!ID_PART.test(beginning)) return [];
    return (yield* all(query, { beginning, end: reversed(beginning), limit })).map((row) =>
      textOf(row, "threadId"),
    );
  });
}

type ThreadRoot = Awaited<ReturnType<ThreadStore["roots"]>>[number];

export function threadRoots(): Deed<ThreadRoot[]> {
  const query = "SELECT threadId, startHash, head, headSha256 FROM threads";
  return reading("read the heads", function* () {
    return (yield* all(query)).map((row) => ({
      threadId: textOf(row, "threadId"),
      startHash: textOf(row, "startHash"),
      head: textOf(row, "head"),
      headSha256: textOf(row, "headSha256"),
    }));
  });
}
