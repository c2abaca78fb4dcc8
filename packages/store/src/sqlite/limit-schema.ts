/** Schema 5: which limit a thread waits at. */
export const LIMIT_SCHEMA = `
-- As JSON; null for a question, and for limits that older versions wrote.
ALTER TABLE threads ADD COLUMN suspendedLimit TEXT;
`;
