/** Schema 4: what a person says to the next role of a fork. */
export const NEXT_PROMPT_SCHEMA = `
-- As a JSON string; in place of the edge's prompt, until a step is published.
ALTER TABLE threads ADD COLUMN nextPrompt TEXT;
`;
