/** Schema 17: tasks whose work a thread does. */
export const TASK_THREADS_SCHEMA = `
ALTER TABLE tasks ADD COLUMN workflow TEXT;
ALTER TABLE tasks ADD COLUMN thread TEXT;
`;
