/** Role of the start record and name of the state before the first step. */
export const START = "__start__" as const;
/** Target of a transition that finishes the thread; role of its last node. */
export const END = "__end__" as const;
/** Target of a transition that waits for a person's answer. */
export const SUSPEND = "__suspend__" as const;

/** Role of the node that says from where on a thread runs another version of its workflow. */
export const UPGRADE = "__upgrade__" as const;

export type Start = typeof START;
export type End = typeof END;
export type Suspend = typeof SUSPEND;

/** Later times no calendar of four digits has: a time in milliseconds is this at most. */
export const MAX_UNIX_MS = 253_402_300_799_999;

/** Condition name recorded for a transition that always matches. */
export const FALLBACK = "FALLBACK" as const;
export type Fallback = typeof FALLBACK;

/** Environment variable that every process started for a step carries, so that
 *  the engine finds all of them again, whatever group or session they moved to. */
export const RUN_MARK_ENV = "UNCAGED_RUN_MARK" as const;
