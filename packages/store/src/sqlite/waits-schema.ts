/** Schema 6: the people that a thread waits for. */
export const WAITS_SCHEMA = `
-- All of them, as JSON; null for a question and for a limit. The first is in the columns of the suspension, too.
ALTER TABLE threads ADD COLUMN waits TEXT;
`;
