/** Schema 9: pending notices to listeners. */
export const NOTICES_SCHEMA = `
CREATE TABLE listeners (
  name TEXT PRIMARY KEY NOT NULL
) STRICT;
-- Outlives the threads. One that a listener was told stays for a while, so that it is not told the same again.
CREATE TABLE notices (
  listener TEXT NOT NULL,
  id       TEXT NOT NULL,
  event    TEXT NOT NULL,
  at       INTEGER NOT NULL,
  threadId TEXT NOT NULL,
  workflow TEXT NOT NULL,
  -- As a JSON object.
  labels   TEXT NOT NULL,
  -- What is sent. Empty once it was.
  body     TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  -- Null once the listener was told.
  dueAt    INTEGER,
  toldAt   INTEGER,
  -- As a JSON string; why the last attempt failed.
  fault    TEXT,
  PRIMARY KEY (listener, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX noticesDue ON notices (listener, dueAt) WHERE dueAt IS NOT NULL;
CREATE INDEX noticesTold ON notices (toldAt) WHERE toldAt IS NOT NULL;
`;
