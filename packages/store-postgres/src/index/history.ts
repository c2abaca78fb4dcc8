import type { ThreadHistory } from "@uncaged/workflow-protocol";
import { decodeHistoryLine } from "@uncaged/workflow-store/backend";
import type { Database } from "../database/database.ts";

/** How the threads that were not removed since have ended, and when one was removed last. */
export async function readHistory(database: Database): Promise<ThreadHistory> {
  const ends = await database.query("read the history", { text: ENDED, rowMode: "array" });
  const last = await database.query("read the history", { text: LAST_REMOVAL, rowMode: "array" });
  const ended = ends.rows.flatMap((row) => {
    const line = decodeHistoryLine(String(valueIn(row)));
    return line === null ? [] : [line];
  });
  return { ended, lastRemovalAt: Number(valueIn(last.rows[0])) };
}

const ENDED = `
  SELECT line FROM ended LEFT JOIN removed USING (threadId)
  WHERE finishedAt > coalesce(removedAt, -1) ORDER BY finishedAt, threadId`;

const LAST_REMOVAL = "SELECT coalesce(max(removedAt), 0) FROM removed";

function valueIn(row: unknown): unknown {
  return Array.isArray(row) ? row[0] : null;
}
