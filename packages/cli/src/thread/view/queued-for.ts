import { limitInWords, type QueuePlace } from "@uncaged/workflow-protocol";
import { printableLine } from "../../terminal/printable.ts";
import { isoSeconds } from "../../terminal/times.ts";

/** What a queued thread waits for: `waits for agent claude, and until 2026-11-23T00:00:00Z`. */
export function queuedFor({ for: keys, notBefore }: QueuePlace): string {
  const what = keys.length === 0 ? "its turn" : keys.map(limitInWords).join(", ");
  const until = notBefore === null ? "" : `, and until ${isoSeconds(notBefore)}`;
  return `waits for ${printableLine(what, 200)}${until}`;
}
