/** Role of the start record and name of the state before the first step. */
export const START = "__start__" as const;
/** Target of a transition that finishes the thread; role of its last node. */
export const END = "__end__" as const;
/** Target of a transition that waits for a person's answer. */
export const SUSPEND = "__suspend__" as const;

/** Role of the node from which the thread runs another version of its workflow. */
export const UPGRADE = "__upgrade__" as const;

/** Role of the nodes in which a coordinating step records what it asked of its workers, and what it was told. */
export const COORDINATION = "__coordination__" as const;

export type Start = typeof START;
export type End = typeof END;
export type Suspend = typeof SUSPEND;

/** The last millisecond of the year 9999: the latest time that a four-digit year can express. */
export const MAX_UNIX_MS = 253_402_300_799_999;

/** Condition name recorded for a transition that always matches. */
export const FALLBACK = "FALLBACK" as const;
export type Fallback = typeof FALLBACK;

/** Environment variable set for every process that a step starts, so that the engine can find all of them again,
 *  whatever process group or session they moved to. */
export const PROCESS_TAG_ENV = "UNCAGED_RUN_MARK" as const;
