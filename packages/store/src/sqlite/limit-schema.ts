/** Schema 5: the limit at which a thread waits. */
export const LIMIT_SCHEMA = `
-- As JSON; null for a question, and for limits that older versions wrote.
ALTER TABLE threads ADD COLUMN suspendedLimit TEXT;
`;
