import type { LiveEvent } from "@uncaged/workflow-protocol";

/** What one of the engine's own models did, for the live view and the debug log. */
export type Note = Pick<Extract<LiveEvent, { type: "note" }>, "about" | "message" | "usage">;
