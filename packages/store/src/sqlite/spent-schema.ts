/** Schema 8: what was used, per thread and in all. Only sums are kept, no single runs, so reading them costs the
 *  same however many threads there were. */
export const SPENT_SCHEMA = `
-- What this thread used; all null: nobody reported anything, or an older version ran it.
ALTER TABLE threads ADD COLUMN inputTokens INTEGER;
ALTER TABLE threads ADD COLUMN outputTokens INTEGER;
ALTER TABLE threads ADD COLUMN cachedInputTokens INTEGER;
-- US dollars; null: nobody reported a cost.
ALTER TABLE threads ADD COLUMN costUsd REAL;
-- 1 when some of the tokens are an estimate.
ALTER TABLE threads ADD COLUMN estimated INTEGER;
-- Outlives the threads.
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
`;
