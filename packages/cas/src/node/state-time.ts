import { decodeNode } from "./codec.ts";

/** When a state was made, Unix milliseconds; null when the text is not a state. */
export function stateTime(text: string): number | null {
  // Most blobs are not: they need not be parsed.
  if (!text.startsWith(STATE)) return null;
  const node = decodeNode(text);
  return node.ok && node.value.type === "state" ? node.value.payload.timestamp : null;
}

const STATE = 'type: "state"\n';
