/** Schema 12: triggers, and the files that they have taken. */
export const TRIGGERS_SCHEMA = `
CREATE TABLE triggers (
  name      TEXT PRIMARY KEY NOT NULL,
  -- As JSON: what it waits for, and what it starts. Has the secret of a webhook.
  plan      TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  pausedAt  INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE watchedFiles (
  trigger    TEXT NOT NULL,
  -- As a JSON string.
  file       TEXT NOT NULL,
  size       INTEGER NOT NULL,
  modifiedAt INTEGER NOT NULL,
  origin     INTEGER NOT NULL,
  state      TEXT NOT NULL,
  threadId   TEXT,
  -- As a JSON string.
  reason     TEXT,
  PRIMARY KEY (trigger, file)
) STRICT, WITHOUT ROWID;
`;
