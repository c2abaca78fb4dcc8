CREATE TABLE threads (
  threadId         TEXT PRIMARY KEY NOT NULL,
  -- The id read backwards: an index for its end.
  threadIdReversed TEXT NOT NULL,
  -- The caller's key that makes a start idempotent.
  startKey         TEXT,
  workflow         TEXT NOT NULL,
  bundleHash       TEXT NOT NULL,
  startHash        TEXT NOT NULL,
  head             TEXT NOT NULL,
  headSha256       TEXT NOT NULL,
  status           TEXT NOT NULL,
  stepCount        INTEGER NOT NULL,
  depth            INTEGER NOT NULL,
  parentThread     TEXT,
  cwd              TEXT NOT NULL,
  returnCode       INTEGER,
  -- Words of agents, as JSON strings: SQLite's own texts may end at a NUL when read.
  summary          TEXT,
  suspendedRole    TEXT,
  suspendedMessage TEXT,
  answerRole       TEXT,
  answerText       TEXT,
  forkedFromThread TEXT,
  forkedFromState  TEXT,
  startedAt        INTEGER NOT NULL,
  createdAt        INTEGER NOT NULL,
  updatedAt        INTEGER NOT NULL,
  fence            INTEGER NOT NULL,
  leasePid         INTEGER,
  leaseStartedAt   TEXT,
  leaseBootId      TEXT,
  leaseAcquiredAt  INTEGER,
  leaseHeartbeatAt INTEGER,
  leaseExpiresAt   INTEGER,
  -- When the signal was left; null when none waits.
  pauseSignalAt    INTEGER,
  stopSignalAt     INTEGER,
  killSignalAt     INTEGER, suspendedKind TEXT, limits TEXT, agent TEXT, replacedHead TEXT, replacedSha256 TEXT, nextPrompt TEXT, suspendedLimit TEXT, waits TEXT, title TEXT, promptLine TEXT, labels TEXT, inputTokens INTEGER, outputTokens INTEGER, cachedInputTokens INTEGER, costUsd REAL, estimated INTEGER, priority INTEGER NOT NULL DEFAULT 0, queuedAt INTEGER, queuedFor TEXT, notBefore INTEGER, room TEXT, pool TEXT NOT NULL DEFAULT 'default', needs TEXT, leaseWorker TEXT,
  CHECK ((status = 'running') = (leasePid IS NOT NULL)),
  CHECK ((status = 'suspended') = (suspendedRole IS NOT NULL)),
  CHECK ((answerRole IS NULL) = (answerText IS NULL))
) STRICT;
CREATE UNIQUE INDEX threadsByStartKey ON threads (startKey) WHERE startKey IS NOT NULL;
CREATE INDEX threadsByEnd ON threads (threadIdReversed);
CREATE INDEX threadsByCreation ON threads (createdAt, threadId);
CREATE INDEX threadsByWorkflow ON threads (workflow, createdAt, threadId);
CREATE INDEX threadsByParent ON threads (parentThread, createdAt, threadId) WHERE parentThread IS NOT NULL;
CREATE INDEX threadsOwned ON threads (createdAt, threadId) WHERE leasePid IS NOT NULL;
CREATE TABLE blobs (
  id    INTEGER PRIMARY KEY NOT NULL,
  -- The XXH64 as a signed number.
  name  INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX blobsByName ON blobs (name);
CREATE TABLE asideBlobs (
  id      INTEGER PRIMARY KEY NOT NULL,
  -- Unix milliseconds.
  sinceMs INTEGER NOT NULL
) STRICT;
CREATE INDEX threadsWaiting ON threads (createdAt, threadId) WHERE suspendedRole IS NOT NULL;
CREATE TABLE threadWords (
  threadId TEXT PRIMARY KEY NOT NULL,
  -- Of title and prompt, in lower case, one space apart.
  words    TEXT NOT NULL
) STRICT;
CREATE TABLE spent (
  -- 2026-11-22, UTC.
  day               TEXT NOT NULL,
  workflow          TEXT NOT NULL,
  -- Empty: in the record of a thread's end.
  role              TEXT NOT NULL,
  agent             TEXT NOT NULL,
  -- Empty: not reported.
  model             TEXT NOT NULL,
  runs              INTEGER NOT NULL,
  inputTokens       INTEGER NOT NULL,
  outputTokens      INTEGER NOT NULL,
  cachedInputTokens INTEGER NOT NULL,
  costUsd           REAL,
  estimated         INTEGER NOT NULL,
  PRIMARY KEY (day, workflow, role, agent, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE listeners (
  name TEXT PRIMARY KEY NOT NULL
) STRICT;
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
CREATE INDEX threadsQueued ON threads (priority DESC, depth DESC, createdAt, threadId) WHERE queuedAt IS NOT NULL;
CREATE TABLE limits (
  id     INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  -- All of them, as JSON.
  limits TEXT NOT NULL
) STRICT;
CREATE TABLE queueClosed (
  id      INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  sinceMs INTEGER NOT NULL
) STRICT;
CREATE TABLE agentRuns (
  agent    TEXT NOT NULL,
  threadId TEXT NOT NULL,
  fence    INTEGER NOT NULL,
  part     TEXT NOT NULL,
  PRIMARY KEY (threadId, part, agent)
) STRICT, WITHOUT ROWID;
CREATE TABLE recentUse (
  startMs  INTEGER NOT NULL,
  agent    TEXT NOT NULL,
  requests INTEGER NOT NULL,
  tokens   INTEGER NOT NULL,
  PRIMARY KEY (startMs, agent)
) STRICT, WITHOUT ROWID;
CREATE TABLE spentQuarters (
  startMs INTEGER PRIMARY KEY NOT NULL,
  tokens  INTEGER NOT NULL,
  costUsd REAL NOT NULL
) STRICT;
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
CREATE TABLE asks (
  threadId TEXT NOT NULL,
  -- Index of the member in its group; -1: the step is no member.
  member   INTEGER NOT NULL,
  -- Of the owner that asks. What an earlier one asked is void.
  fence    INTEGER NOT NULL,
  since    INTEGER NOT NULL,
  -- As JSON.
  wait     TEXT NOT NULL,
  -- As JSON; null: nobody has answered.
  answer   TEXT,
  PRIMARY KEY (threadId, member)
) STRICT, WITHOUT ROWID;
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
  progress    REAL, workflow TEXT, thread TEXT,
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
CREATE TABLE holds (
  -- provider:<name>, or agent:<name> where the provider is not known.
  key     TEXT PRIMARY KEY NOT NULL,
  -- Names in config.agents, as a JSON array.
  agents  TEXT NOT NULL,
  untilMs INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX threadsUnfinished ON threads (createdAt, threadId) WHERE returnCode IS NULL;
CREATE TABLE sharedBudgets (
  -- The coordinator's thread.
  threadId      TEXT PRIMARY KEY NOT NULL,
  -- Steps that the thread had when the coordinating one began; with more of them, the row means nothing.
  step          INTEGER NOT NULL,
  -- Null: any amount.
  tokens        INTEGER,
  costUsd       REAL,
  -- What its child threads had used before.
  tokensBefore  INTEGER NOT NULL,
  costBefore    REAL NOT NULL,
  -- The largest call so far; null: none has ended.
  largestTokens INTEGER,
  largestCost   REAL
) STRICT, WITHOUT ROWID;
CREATE TABLE workerCalls (
  threadId TEXT NOT NULL,
  part     TEXT NOT NULL,
  fence    INTEGER NOT NULL,
  -- Steps that the thread had when it began.
  step     INTEGER NOT NULL,
  tokens   INTEGER NOT NULL,
  costUsd  REAL NOT NULL,
  PRIMARY KEY (threadId, part)
) STRICT, WITHOUT ROWID;
CREATE TABLE workers (
  worker       TEXT PRIMARY KEY NOT NULL,
  -- Its process.
  pid          INTEGER NOT NULL,
  processSince TEXT NOT NULL,
  bootId       TEXT NOT NULL,
  -- Name of its machine, for people.
  host         TEXT NOT NULL,
  -- What it serves, as JSON arrays.
  pools        TEXT NOT NULL,
  labels       TEXT NOT NULL,
  -- Null: as many as the limits allow.
  atOnce       INTEGER,
  version      TEXT NOT NULL,
  startedAt    INTEGER NOT NULL,
  seenAt       INTEGER NOT NULL,
  drainingAt   INTEGER
) STRICT, WITHOUT ROWID;
