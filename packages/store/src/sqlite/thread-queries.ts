import type { ThreadRecord, ThreadStore } from "@uncaged/workflow-protocol";
import { searchedFor } from "../threads/thread-words.ts";
import { RECORD_COLUMNS, textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";
import { labelPath } from "./thread-labels.ts";
import { recordOf, reversed } from "./thread-rows.ts";

export function getThread(index: ThreadIndex, threadId: string): ThreadRecord | null {
  return index.read(`read thread ${threadId}`, () => {
    const row = index
      .arrays(`SELECT ${RECORD_COLUMNS} FROM threads WHERE threadId = :threadId`)
      .get({ threadId });
    return row === undefined ? null : recordOf(row);
  });
}

type ThreadFilter = Parameters<ThreadStore["list"]>[0];

/** Newest first, in one query however many there are. */
export function listThreads(index: ThreadIndex, filter: ThreadFilter): ThreadRecord[] {
  const conditions: string[] = [];
  const values: Record<string, string | number> = { limit: filter.limit ?? -1 }; // -1: all
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
    conditions.push(`threadId IN (SELECT threadId FROM threadWords WHERE instr(words, :word${n}))`);
    values[`word${n}`] = word;
  }
  for (const [n, [key, value]] of Object.entries(filter.labels ?? {}).entries()) {
    const path = labelPath(key);
    if (path === null) return [];
    conditions.push(`labels ->> :key${n} ${value === null ? "IS NOT NULL" : `= :value${n}`}`);
    values[`key${n}`] = path;
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
  return index.read("list threads", () => index.arrays(query).all(values).map(recordOf));
}

/** Characters of a thread id; anything else matches nothing. */
const ID_PART = /^[0-9A-HJKMNP-TV-Z]{1,26}$/;

/** Ids that begin or end with `part`, ignoring case. Both ends are ranges of an index. */
export function matchThreads(index: ThreadIndex, part: string, limit: number): string[] {
  const beginning = part.toUpperCase();
  if (!ID_PART.test(beginning)) return [];
  // "~" sorts after every character of an id, so everything in between begins with the part.
  const query = `
    SELECT threadId FROM (SELECT threadId FROM threads
      WHERE threadId >= :beginning AND threadId < :beginning || '~' LIMIT :limit)
    UNION
    SELECT threadId FROM (SELECT threadId FROM threads
      WHERE threadIdReversed >= :end AND threadIdReversed < :end || '~' LIMIT :limit)
    ORDER BY threadId LIMIT :limit`;
  return index.read("find a thread", () =>
    index
      .sql(query)
      .all({ beginning, end: reversed(beginning), limit })
      .map((row) => textOf(row, "threadId")),
  );
}

type ThreadRoot = Awaited<ReturnType<ThreadStore["roots"]>>[number];

export function threadRoots(index: ThreadIndex): ThreadRoot[] {
  const query = "SELECT threadId, startHash, head, headSha256 FROM threads";
  return index.read("read the heads", () =>
    index
      .sql(query)
      .all()
      .map((row) => ({
        threadId: textOf(row, "threadId"),
        startHash: textOf(row, "startHash"),
        head: textOf(row, "head"),
        headSha256: textOf(row, "headSha256"),
      })),
  );
}
