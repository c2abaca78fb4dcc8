/** Schema 18: what the workers of a coordinating step may use together, and their calls under way. */
export const SHARED_BUDGET_SCHEMA = `
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
-- A call of a worker: under way while its thread is owned with this fence. After that, what it used counts until the
-- thread goes on, because a step or another call records it then.
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
`;
