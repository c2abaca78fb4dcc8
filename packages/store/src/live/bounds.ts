/** How much of a thread's live log is kept. */
export type LiveBounds = {
  /** About this many bytes of the newest events; at least half of it, if there are as many. */
  totalBytes: number;
};

export const DEFAULT_BOUNDS: LiveBounds = { totalBytes: 16 * 1024 * 1024 };
