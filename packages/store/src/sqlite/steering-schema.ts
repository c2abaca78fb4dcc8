/** Schema 3: what a person set for one thread. */
export const STEERING_SCHEMA = `
-- 'limit' when a suspended thread waits for that, and not for an answer.
ALTER TABLE threads ADD COLUMN suspendedKind TEXT;
-- Bounds in place of the workflow's own, as JSON.
ALTER TABLE threads ADD COLUMN limits TEXT;
-- The named agent that plays every role.
ALTER TABLE threads ADD COLUMN agent TEXT;
-- The step that the head took the place of.
ALTER TABLE threads ADD COLUMN replacedHead TEXT;
ALTER TABLE threads ADD COLUMN replacedSha256 TEXT;
`;
