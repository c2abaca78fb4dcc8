/** Live logs in PostgreSQL, for readers on other machines. Nothing of a run waits for them, and no step is in them. */
import { randomUUID } from "node:crypto";
import type { LiveItem, LiveLog, LiveWriter } from "@uncaged/workflow-protocol";
import { DEFAULT_BOUNDS, type LiveBounds, liveLine } from "@uncaged/workflow-store";
import type { Database } from "../database/database.ts";
import { numberIn, textIn } from "../database/fields.ts";
import { liveBell } from "./live-bell.ts";
import { type LiveBatch, type LiveQueue, liveQueue } from "./live-queue.ts";

/** Of the log's bound: a log is kept to at least half of it. */
const BATCH_PART = 8;
const MOST_BATCH_BYTES = 256 * 1024;
/** Batches that a reader takes at once. */
const PAGE = 8;

/** `url`: of the same database, for a connection that listens. Closing it leaves the database open. */
export function postgresLiveLog(
  database: Database,
  { url, bounds = DEFAULT_BOUNDS }: { url: string; bounds?: LiveBounds },
): LiveLog {
  const channel = `${database.schema}_live`;
  const bell = liveBell({ url: database.session === "own" ? url : null, channel });
  const me = randomUUID();
  const queues = new Map<string, LiveQueue>();
  let batches = 0;

  const write = async (threadId: string, { fence, lines, dropped }: LiveBatch): Promise<void> => {
    const text = lines.join("\n");
    batches += 1;
    const { rows } = await database.query("write a live log", {
      text: APPEND,
      values: [
        threadId,
        fence,
        lines.length,
        dropped,
        text,
        me,
        batches,
        Buffer.byteLength(text),
        channel,
      ],
    });
    const [row] = rows;
    if (row !== undefined && numberIn(row, "bytes") > bounds.totalBytes)
      await database.query("shorten a live log", {
        text: SHORTEN,
        values: [threadId, Math.floor(bounds.totalBytes * KEPT_PART)],
      });
  };
  const queueOf = (threadId: string): LiveQueue => {
    const queue =
      queues.get(threadId) ??
      liveQueue((batch) => write(threadId, batch), {
        batchBytes: Math.min(bounds.totalBytes / BATCH_PART, MOST_BATCH_BYTES),
        mostBytes: bounds.totalBytes,
      });
    queues.set(threadId, queue);
    return queue;
  };
  const flush = async (threadId: string): Promise<void> => {
    const queue = queues.get(threadId);
    await queue?.drain();
    // Kept while it writes: the next one would not be in order.
    if (queue?.isEmpty()) queues.delete(threadId);
  };
  const lastOf = async (threadId: string): Promise<number> => {
    await flush(threadId);
    const values = [threadId];
    const { rows } = await database.query("read a live log", { text: LAST, values });
    return rows[0] === undefined ? 0 : numberIn(rows[0], "last");
  };
  return {
    writer({ threadId, fence }): LiveWriter {
      let isOpen = true;
      return {
        append(event) {
          const line = isOpen ? liveLine(event) : null;
          if (line !== null) queueOf(threadId).add(fence, line);
        },
        close() {
          isOpen = false;
          void flush(threadId);
        },
      };
    },
    async *read(threadId, { after, until, signal }): AsyncGenerator<LiveItem, void> {
      const { liveRecordSchema } = await import("@uncaged/workflow-protocol/schemas");
      let expected = after > (await lastOf(threadId)) ? 1 : after + 1;
      const listening = until === "aborted" ? bell.listen(threadId, signal) : null;
      try {
        while (!signal.aborted) {
          await flush(threadId);
          const values = [threadId, expected, PAGE];
          const { rows } = await database.query("read a live log", { text: READ, values });
          for (const row of rows) {
            let seq = numberIn(row, "first");
            if (seq > expected) yield { type: "gap", threadId, from: expected, to: seq - 1 };
            for (const line of textIn(row, "lines").split("\n")) {
              if (signal.aborted) return;
              if (seq >= expected) yield liveRecordSchema.parse({ seq, ...JSON.parse(line) });
              seq += 1;
            }
            expected = Math.max(expected, seq);
          }
          if (rows.length > 0) continue;
          if (listening === null) return;
          await listening.rung();
        }
      } finally {
        listening?.end();
      }
    },
    last: lastOf,
    flush,
    async remove(threadId) {
      await flush(threadId);
      await database.query("remove a live log", { text: REMOVE, values: [threadId] });
    },
    async close() {
      await Promise.all([...queues.keys()].map(flush));
      await bell.close();
    },
  };
}

/** After it was too long: more than half of the bound, and room for some batches. */
const KEPT_PART = 0.8;

/** One statement, so the lock of a log's row is held for no round trip. A batch that was written already changes
 *  nothing, and so does one of a superseded owner. */
const APPEND = `
WITH log AS (
  INSERT INTO live_logs AS l (thread_id, fence, last, bytes, writer, batch)
  VALUES ($1, $2::bigint, $3::bigint + $4::bigint, $8::bigint, $6::uuid, $7::bigint)
  ON CONFLICT (thread_id) DO UPDATE SET
    fence = excluded.fence, last = l.last + excluded.last, bytes = l.bytes + excluded.bytes,
    writer = excluded.writer, batch = excluded.batch
  WHERE l.fence <= excluded.fence AND NOT (l.writer = excluded.writer AND l.batch >= excluded.batch)
  RETURNING last, bytes
), written AS (
  INSERT INTO live_batches (thread_id, first, last, lines)
  SELECT $1, last - $3::bigint + 1, last, $5 FROM log
)
SELECT bytes, pg_notify($9, $1) FROM log`;

const SHORTEN = `
WITH newer AS (
  SELECT first, octet_length(lines) AS own, sum(octet_length(lines)) OVER (ORDER BY first DESC) AS upto
  FROM live_batches WHERE thread_id = $1
), gone AS (
  DELETE FROM live_batches b USING newer
  WHERE b.thread_id = $1 AND b.first = newer.first AND newer.upto > $2::bigint AND newer.upto > newer.own
)
UPDATE live_logs SET bytes =
  (SELECT sum(own) FROM newer WHERE upto <= $2::bigint OR upto = own)
WHERE thread_id = $1`;

const LAST = "SELECT last FROM live_logs WHERE thread_id = $1";

const READ = `
SELECT first, lines FROM live_batches WHERE thread_id = $1 AND last >= $2::bigint ORDER BY first LIMIT $3`;

const REMOVE = `
WITH gone AS (DELETE FROM live_batches WHERE thread_id = $1)
DELETE FROM live_logs WHERE thread_id = $1`;
