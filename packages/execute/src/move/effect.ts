/** Called before each write of a move, so that a test can end it there. */
export type Effect = (what: string) => Promise<void> | void;
