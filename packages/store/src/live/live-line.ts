/** An event as one line of JSON of bounded length. */
import type { LiveEvent } from "@uncaged/workflow-protocol";

/** A longer text is cut: a watcher wants the gist, and the thread's nodes have the whole. */
const MAX_TEXT_CHARS = 16 * 1024;
/** Limit for all texts of a line together, not counting its structure. */
const MAX_LINE_CHARS = 64 * 1024;
/** No line of ours is longer; others are skipped. A character takes up to six bytes of JSON. */
export const MAX_LINE_BYTES: number = 1024 * 1024;

/** null when JSON cannot represent the event. */
export function liveLine(event: LiveEvent): string | null {
  try {
    // Cut before it is serialized: agents may print megabytes at once.
    if (spoken(event) > MAX_TEXT_CHARS) return JSON.stringify(shortened(event));
    const line = JSON.stringify(event);
    return line.length > MAX_TEXT_CHARS ? JSON.stringify(shortened(event)) : line;
  } catch {
    return null;
  }
}

function spoken(event: LiveEvent): number {
  return event.type === "agent" && event.event.type === "text" ? event.event.text.length : 0;
}

/** The required fields of an event come first, so only the end of what an agent said is left out. */
function shortened(event: LiveEvent): unknown {
  let left = MAX_LINE_CHARS;
  const cut = (value: unknown): unknown => {
    left -= 8;
    if (typeof value === "string") return cutText(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.flatMap((item) => (left > 0 ? [cut(item)] : []));
    return Object.fromEntries(Object.entries(value).flatMap(cutEntry));
  };
  const cutText = (text: string): string => {
    const length = Math.max(0, Math.min(text.length, MAX_TEXT_CHARS, left));
    left -= length;
    return length === text.length ? text : `${text.slice(0, length)}…`;
  };
  const cutEntry = ([key, value]: [string, unknown]): [string, unknown][] => {
    if (key.length > left) return [];
    left -= key.length;
    return [[key, cut(value)]];
  };
  return cut(event);
}
