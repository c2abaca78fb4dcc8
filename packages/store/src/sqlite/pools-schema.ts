/** Schema 19: which workers there are, and which of them may run a thread. */
export const POOLS_SCHEMA = `
ALTER TABLE threads ADD COLUMN pool TEXT NOT NULL DEFAULT 'default';
-- Labels that its worker must have, as a JSON array; null: none.
ALTER TABLE threads ADD COLUMN needs TEXT;
-- Of the lease: which worker took it; null: none did, but a command or a runner.
ALTER TABLE threads ADD COLUMN leaseWorker TEXT;
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
`;
