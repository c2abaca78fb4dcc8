/** Schema 11: which threads wait for room, and which have it. Room is taken with a lease, so nothing here outlives one. */
export const QUEUE_SCHEMA = `
ALTER TABLE threads ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
-- Not null exactly while the status is 'queued'.
ALTER TABLE threads ADD COLUMN queuedAt INTEGER;
-- Limits that left no room, as a JSON array. Kept while the thread starts, until it takes the room that it waited for.
ALTER TABLE threads ADD COLUMN queuedFor TEXT;
ALTER TABLE threads ADD COLUMN notBefore INTEGER;
-- Of the lease: 'held', 'lent' while it only waits, 'returning' when it wants it back; null: it does not count.
ALTER TABLE threads ADD COLUMN room TEXT;
CREATE INDEX threadsQueued ON threads (priority DESC, depth DESC, createdAt, threadId) WHERE queuedAt IS NOT NULL;
-- One row, or none.
CREATE TABLE limits (
  id     INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  -- All of them, as JSON.
  limits TEXT NOT NULL
) STRICT;
-- One row while the queue is closed.
CREATE TABLE queueClosed (
  id      INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  sinceMs INTEGER NOT NULL
) STRICT;
-- A run of an agent; it counts only while the thread is owned with this fence.
CREATE TABLE agentRuns (
  agent    TEXT NOT NULL,
  threadId TEXT NOT NULL,
  fence    INTEGER NOT NULL,
  part     TEXT NOT NULL,
  PRIMARY KEY (threadId, part, agent)
) STRICT, WITHOUT ROWID;
-- What agents of limited providers used, in pieces of a few seconds; old ones are deleted.
CREATE TABLE recentUse (
  startMs  INTEGER NOT NULL,
  agent    TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens   INTEGER NOT NULL,
  PRIMARY KEY (startMs, agent)
) STRICT, WITHOUT ROWID;
-- What all steps used, by the quarter of an hour: a day of any zone is a number of them.
CREATE TABLE spentQuarters (
  startMs INTEGER PRIMARY KEY NOT NULL,
  tokens  INTEGER NOT NULL,
  costUsd REAL NOT NULL
) STRICT;
`;
