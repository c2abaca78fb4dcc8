/** Schema 14: worker tasks, and the bus of their messages. */
export const TASKS_SCHEMA = `
CREATE TABLE tasks (
  repository  TEXT NOT NULL,
  id          TEXT NOT NULL,
  state       TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  branch      TEXT NOT NULL,
  worktree    TEXT NOT NULL,
  description TEXT NOT NULL,
  integration TEXT NOT NULL,
  attempt     INTEGER NOT NULL,
  tokenSha256 TEXT NOT NULL,
  who         TEXT,
  -- As JSON: a list of names.
  workers     TEXT NOT NULL,
  head        TEXT,
  merged      TEXT,
  note        TEXT,
  assignedAt  INTEGER NOT NULL,
  changedAt   INTEGER NOT NULL,
  heartbeatAt INTEGER,
  progress    REAL,
  PRIMARY KEY (repository, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE taskMessages (
  -- The last one is never deleted, so none is given twice.
  seq        INTEGER PRIMARY KEY,
  repository TEXT NOT NULL,
  id         TEXT NOT NULL,
  type       TEXT NOT NULL,
  attempt    INTEGER NOT NULL,
  fromState  TEXT,
  toState    TEXT NOT NULL,
  at         INTEGER NOT NULL,
  who        TEXT,
  text       TEXT
) STRICT;
CREATE INDEX taskHeartbeats ON taskMessages (repository, id) WHERE type = 'heartbeat';
`;
