/** Schema 7: what a person finds a thread by. The searched words are in a separate table, so that a step can rewrite
 *  its thread's row, and a list can read it, without them. */
export const NAMES_SCHEMA = `
-- As JSON strings; null: it has none.
ALTER TABLE threads ADD COLUMN title TEXT;
ALTER TABLE threads ADD COLUMN promptLine TEXT;
-- As a JSON object; null: none.
ALTER TABLE threads ADD COLUMN labels TEXT;
CREATE TABLE threadWords (
  threadId TEXT PRIMARY KEY NOT NULL,
  -- Of title and prompt, in lower case, one space apart.
  words    TEXT NOT NULL
) STRICT;
`;
