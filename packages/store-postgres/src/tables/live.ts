/** Live logs: what readers have not seen yet of the newest batches, and where each log ends. */
export const LIVE_TABLES: string = `
CREATE TABLE live_logs (
  thread_id text PRIMARY KEY,
  -- Of the newest owner who said something.
  fence     bigint NOT NULL,
  -- Number of the newest event.
  last      bigint NOT NULL,
  -- Of its batches.
  bytes     bigint NOT NULL,
  -- Who wrote the newest batch, and which of his it was: a batch whose answer was lost is written once.
  writer    uuid NOT NULL,
  batch     bigint NOT NULL
);
CREATE TABLE live_batches (
  thread_id text NOT NULL,
  -- Numbers of its events.
  first     bigint NOT NULL,
  last      bigint NOT NULL,
  -- One event a line.
  lines     text NOT NULL,
  PRIMARY KEY (thread_id, first)
);
`;
