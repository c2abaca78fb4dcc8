/** Schema 10: schedules, and what happened at their due times. */
export const SCHEDULES_SCHEMA = `
CREATE TABLE schedules (
  name      TEXT PRIMARY KEY NOT NULL,
  -- As JSON: when it is due, and what it starts.
  plan      TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  pausedAt  INTEGER,
  -- The next due time that nothing has been decided about.
  nextAt    INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE firings (
  schedule  TEXT NOT NULL,
  dueAt     INTEGER NOT NULL,
  notBefore INTEGER NOT NULL,
  overlap   TEXT NOT NULL,
  state     TEXT NOT NULL,
  threadId  TEXT,
  -- As a JSON string.
  reason    TEXT,
  PRIMARY KEY (schedule, dueAt)
) STRICT, WITHOUT ROWID;
`;
