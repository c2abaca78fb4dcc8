/** Schema 16: the threads that have not ended, however many have. */
export const UNFINISHED_SCHEMA = `
CREATE INDEX threadsUnfinished ON threads (createdAt, threadId) WHERE returnCode IS NULL;
`;
