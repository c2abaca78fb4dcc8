import type { LiveLog } from "@uncaged/workflow-protocol";
import type { LiveBounds } from "../live/bounds.ts";

/** One promise of the port. `run` rejects when the log breaks it. */
export type LiveLogCase = {
  /** A sentence about behaviour. */
  name: string;
  /** `open` creates a new, empty log each time. */
  run(open: (bounds: LiveBounds) => LiveLog): Promise<void>;
};

export const ROOMY: LiveBounds = { totalBytes: 8 * 1024 * 1024 };
