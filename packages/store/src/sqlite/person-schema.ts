/** Schema 4: what a person says to the next role of a fork, and an index for pending questions. */
export const PERSON_SCHEMA = `
-- As a JSON string; in place of the edge's prompt, until a step is published.
ALTER TABLE threads ADD COLUMN nextPrompt TEXT;
CREATE INDEX threadsWaiting ON threads (createdAt, threadId) WHERE suspendedRole IS NOT NULL;
`;
