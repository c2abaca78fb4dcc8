/** Schema 13: what steps that are under way ask people. */
export const ASKS_SCHEMA = `
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
`;
